// A request in the syntax of other tools, quoted for each.
import type { RuntimeOperationRequest } from "./sandbox-api.ts";

export interface RequestCopy {
  readonly name: string;
  readonly text: string;
}

interface SignedCall {
  /** Address of the route that signs. */
  readonly address: string;
  /** Status of its response, which the generated test expects. */
  readonly status: number;
}

/** @param account alias that signs in the command, unless it is the current one */
export function copiesOf(
  request: RuntimeOperationRequest,
  { address, status }: SignedCall,
  account?: string,
): RequestCopy[] {
  const { url, method = "GET", body = "", tez, gas_limit: gasLimit } = request;
  const json = JSON.stringify(request, null, 2);
  const headers = Object.entries(request.headers ?? {});
  const command = [
    `functez run ${shellWord(url)}`,
    ...(method === "GET" ? [] : [`--method ${shellWord(method)}`]),
    ...headers.map(([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`),
    ...(body === "" ? [] : [`--data-raw ${shellWord(body)}`]),
    ...(tez === undefined ? [] : [`--amount ${shellWord(tez)}`]),
    ...(gasLimit === undefined ? [] : [`--gas-limit ${gasLimit}`]),
    ...(account === undefined ? [] : [`--account ${shellWord(account)}`]),
    "--network dev",
  ];
  const curl = [
    `curl ${shellWord(address)}`,
    `--header 'content-type: application/json'`,
    `--data ${shellWord(JSON.stringify(request))}`,
  ];
  return [
    { name: "functez run", text: command.join(" \\\n  ") },
    { name: "curl", text: curl.join(" \\\n  ") },
    {
      name: "fetch",
      text: `const answer = await fetch(${JSON.stringify(address)}, {\n  method: "POST",\n  headers: { "content-type": "application/json" },\n  body: JSON.stringify(${json.replaceAll("\n", "\n  ")}),\n});\nconsole.log(await answer.json());\n`,
    },
    { name: "Test", text: testOf(request, headers, status) },
  ];
}

/**
 * Quotes text as one shell word. Control characters, which others may have sent, are written as codes (bash, zsh, ksh): where
 * the command is pasted, a terminal would obey them, end the line with ^C or take back the quote with DEL.
 */
function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!/(?!\n)\p{Cc}/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n");
  return `$'${escaped.replace(/\p{Cc}/gu, bytesOf)}'`;
}

const bytesOf = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");

/** A test for `functez/testing`; the user must name the deployed file. */
function testOf(
  { url, method = "GET", body = "", tez = "" }: RuntimeOperationRequest,
  headers: readonly (readonly [string, string])[],
  status: number,
): string {
  const path = url.replace(/^jstz:\/\/[^/?#]*/, "") || "/";
  const options = [
    "from: alice",
    ...(method === "GET" ? [] : [`method: ${JSON.stringify(method)}`]),
    ...(headers.length === 0 ? [] : [`headers: ${JSON.stringify(Object.fromEntries(headers))}`]),
    ...(body === "" ? [] : [`body: ${JSON.stringify(body)}`]),
    ...(tez.trim() === "" ? [] : [`tez: ${JSON.stringify(tez.trim())}`]),
  ];
  return `import { startSandbox } from "functez/testing";
import { expect, it } from "vitest";

it("answers ${method} ${path.replaceAll(/["\\\n]/g, "")}", async () => {
  const sandbox = await startSandbox();
  try {
    const alice = await sandbox.createAccount({ tez: "100" });
    const deployed = await sandbox.deploy("src/index.ts", { from: alice });
    const response = await deployed.call(${JSON.stringify(path)}, { ${options.join(", ")} });
    expect(response.status).toBe(${status});
  } finally {
    await sandbox.stop();
  }
});
`;
}
