// A real layer 1 on a free port, for tests that drive it with client libraries over HTTP.
import type { Layer1Options } from "../../daemon/layer1/layer1-node.ts";
import { createTestNode } from "../../daemon/layer1/testing/test-node.ts";
import { silentLog } from "../../daemon/parts/log.ts";

export interface StartedNode extends AsyncDisposable {
  readonly endpoint: string;
  /** Problems that the node logged; a test expects none. */
  readonly errors: readonly string[];
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
}

export async function startNode(options: Partial<Layer1Options> = {}): Promise<StartedNode> {
  const errors: string[] = [];
  const log = {
    ...silentLog,
    error: (data: object, message: string) => void errors.push(`${message} ${JSON.stringify(data)}`),
  };
  const part = createTestNode({ log, ...options });
  await part.start(new AbortController().signal);
  const endpoint = part.endpoint();
  return {
    endpoint,
    errors,
    async get(path) {
      const response = await fetch(endpoint + path);
      return response.status === 404 ? undefined : response.json();
    },
    async post(path, body) {
      const response = await fetch(endpoint + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
    },
    [Symbol.asyncDispose]: () => part.stop(1_000),
  };
}
