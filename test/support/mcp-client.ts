// Clients of `functez mcp`: the SDK's own, which checks each result against the tool's schema.
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import Ajv from "ajv";
import { type BuiltCli, DIST } from "./built-cli.ts";

export interface McpClient {
  readonly client: Client;
  /** Structured result of a tool. @throws ToolFailure */
  call<T>(name: string, input?: object, options?: { readonly signal?: AbortSignal }): Promise<T>;
  /** All that the server has sent as results, as one text. */
  received(): string;
  /** What the server wrote to standard error. */
  readonly errors: () => string;
  /** Process id of the server. */
  readonly pid: () => number;
  close(): Promise<void>;
}

/** A result with `isError`. */
class ToolFailure extends Error {
  readonly code: string;
  readonly next: string;
  constructor({ code, message, next }: { code: string; message: string; next: string }) {
    super(`${code}: ${message}`);
    this.code = code;
    this.next = next;
  }
}

/** @param roots folders that the client names, for a client that has some */
export async function mcpClient(
  cli: Pick<BuiltCli, "env" | "configHome">,
  args: readonly string[] = [],
  { cwd = cli.configHome, roots }: { readonly cwd?: string; readonly roots?: readonly string[] } = {},
): Promise<McpClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(DIST, "functez.mjs"), "mcp", ...args],
    env: cli.env as Record<string, string>,
    cwd,
    stderr: "pipe",
  });
  let errors = "";
  transport.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: roots ? { roots: {} } : {}, jsonSchemaValidator: validator },
  );
  if (roots) {
    const { ListRootsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((folder) => ({ uri: `file://${folder}` })),
    }));
  }
  await client.connect(transport);
  await client.listTools(); // from here on results are checked
  const received: string[] = [];
  return {
    client,
    async call<T>(name: string, input: object = {}, options = {}) {
      const result = (await client.callTool(
        { name, arguments: { ...input } },
        undefined,
        options,
      )) as CallToolResult;
      received.push(JSON.stringify(result));
      const [first] = result.content;
      const text = first?.type === "text" ? first.text : "";
      if (result.isError) throw new ToolFailure((JSON.parse(text) as { error: never }).error);
      if (text !== JSON.stringify(result.structuredContent))
        throw new Error("the text differs from the data");
      return result.structuredContent as T;
    },
    received: () => received.join("\n"),
    errors: () => errors,
    pid: () => transport.pid!,
    close: () => client.close(),
  };
}

/** The SDK brings a validator of its own, which is not installed: it is large, and Ajv is here. */
const validator = {
  getValidator<T>(schema: object) {
    const validate = new Ajv().compile(schema);
    return (value: unknown) =>
      validate(value)
        ? { valid: true as const, data: value as T, errorMessage: undefined }
        : { valid: false as const, data: undefined, errorMessage: JSON.stringify(validate.errors) };
  },
};
