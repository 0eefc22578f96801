// A request in the words of other tools, quoted for each of them.
import type { SentRequest } from "./history.ts";
import { runRequest } from "./run-request.ts";

export interface RequestCopy {
  readonly name: string;
  readonly text: string;
}

interface Ran {
  /** Address of the route that signs. */
  readonly address: string;
  /** Status of its response, which a test expects again. */
  readonly status: number;
}

export function copiesOf(sent: SentRequest, { address, status }: Ran): RequestCopy[] {
  const request = runRequest(sent);
  const json = JSON.stringify(request, null, 2);
  const headers = Object.entries(request.headers ?? {});
  const command = [
    `functez run ${shellWord(sent.url)}`,
    ...(sent.method === "GET" ? [] : [`--method ${shellWord(sent.method)}`]),
    ...headers.map(([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`),
    ...(sent.body === "" ? [] : [`--data-raw ${shellWord(sent.body)}`]),
    ...(request.tez === undefined ? [] : [`--amount ${shellWord(request.tez)}`]),
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
    { name: "Test", text: testOf(sent, headers, status) },
  ];
}

/** One word for a shell: nothing in it is a command. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A test for `functez/testing`; the file that was deployed is for the user to name. */
function testOf(
  { url, method, body, tez }: SentRequest,
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
