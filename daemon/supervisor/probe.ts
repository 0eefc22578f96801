// Checks the health of a part in another process through its public HTTP interface.
import { httpRequestText } from "../client/http-json.ts";
import type { PartHealth } from "../parts/part.ts";
import { reasonOf } from "../protocol/errors.ts";
import type { PartName } from "../protocol/part-name.ts";

/** A path that only a live part answers with 200: a standard Tezos RPC, and the runtime's own health route. */
const HEALTH_PATHS: Readonly<Record<PartName, string>> = {
  layer1_node: "/chains/main/blocks/head/header",
  runtime_node: "/health",
};

const PROBE_TIMEOUT_MS = 2000;
/** Far above a header of a block. */
const MAX_PROBE_BYTES = 64 * 1024;

export async function probe(name: PartName, endpoint: string): Promise<PartHealth> {
  try {
    const { status } = await httpRequestText(`${endpoint}${HEALTH_PATHS[name]}`, {
      what: name,
      timeoutMs: PROBE_TIMEOUT_MS,
      maxBytes: MAX_PROBE_BYTES,
    });
    return status === 200
      ? { healthy: true, detail: endpoint }
      : { healthy: false, detail: `${endpoint} answers status ${status}` };
  } catch (error) {
    return { healthy: false, detail: reasonOf(error) };
  }
}
