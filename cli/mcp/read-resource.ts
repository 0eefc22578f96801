// The text of a resource.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { httpRequestText } from "../../daemon/client/http-json.ts";
import { agentOutput } from "../../daemon/protocol/agent-output.ts";
import { GUEST_NOTICE } from "../../daemon/protocol/agent-tools.ts";
import { SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { visibleJson } from "../../daemon/text/visible-text.ts";
import { openRuntime } from "../config/network.ts";
import type { CliContext } from "../context.ts";
import { traceOf, treeText } from "./read-tools.ts";
import {
  DOCUMENT,
  documentsOf,
  listResources,
  OPENAPI,
  OPERATION,
  OPERATION_TEMPLATE,
  OPERATIONS,
  type Resource,
  TYPES,
} from "./resource-list.ts";

export interface ResourceText extends Pick<Resource, "uri" | "mimeType"> {
  readonly text: string;
}

/** @throws SandboxError NOT_FOUND, SANDBOX_NOT_RUNNING */
export async function readResource(context: CliContext, uri: string): Promise<ResourceText> {
  const known = listResources(context.distFolder).find((resource) => resource.uri === uri);
  const { mimeType } = known ?? OPERATION_TEMPLATE;
  return { uri, mimeType, text: await textAt(context, uri) };
}

async function textAt(context: CliContext, uri: string): Promise<string> {
  if (uri.startsWith(DOCUMENT)) {
    const found = documentsOf(context.distFolder).find(({ name }) => `${DOCUMENT}${name}` === uri);
    if (found) return readFileSync(found.path, "utf8");
  }
  if (uri === TYPES) return readFileSync(resolve(context.distFolder, "../types/runtime.d.ts"), "utf8");
  if (uri !== OPENAPI && uri !== OPERATIONS && !uri.startsWith(OPERATION))
    throw new SandboxError("NOT_FOUND", { what: `resource ${uri}`, next: "resources/list lists them." });
  const config = await context.config.read();
  const { runtime, network } = await openRuntime(context, config, SANDBOX_NETWORK, "look");
  if (uri === OPENAPI) {
    const what = "The runtime node";
    return (await httpRequestText(`${runtime.endpoint}/openapi.json`, { what, signal: context.signal })).body;
  }
  if (uri === OPERATIONS) {
    const { operations } = agentOutput({ operations: (await runtime.operations(20)) ?? [] });
    const lines = (operations as unknown[]).map((operation) => visibleJson(JSON.stringify(operation)));
    return [GUEST_NOTICE, ...lines].join("\n");
  }
  const trace = await traceOf(runtime, uri.slice(OPERATION.length));
  return `${GUEST_NOTICE}\n${await treeText({ context }, network, trace, config)}`;
}
