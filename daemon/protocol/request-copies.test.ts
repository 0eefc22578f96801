import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { copiesOf } from "./request-copies.ts";
import type { RuntimeOperationRequest } from "./sandbox-api.ts";

const HOSTILE = `'; echo "$HOME" \`id\` $(id) \\ \n#`;
const sent: RuntimeOperationRequest = {
  from: "bootstrap0",
  method: "POST",
  url: `jstz://KT1TxqZ8QtKvLu3V3JH7Gx58n7Co8pgtpQU5/a b?c=${HOSTILE}`,
  headers: { "x-a": "it's" },
  body: HOSTILE,
  tez: "1.5",
};
const copies = new Map(
  copiesOf(sent, { address: "http://127.0.0.1:1/runtime/operations", status: 404 }).map(({ name, text }) => [
    name,
    text,
  ]),
);

/** The words into which a shell splits a command. */
function wordsOf(command: string, shell = "sh"): string[] {
  const shown = execFileSync(shell, [
    "-c",
    `show() { for word in "$@"; do printf '%s\\0' "$word"; done; }; show ${command}`,
  ]);
  return shown.toString().split("\0").slice(0, -1);
}

it("quotes everything for the shell", () => {
  expect(wordsOf(copies.get("functez run")!)).toEqual([
    ...["functez", "run", sent.url, "--method", "POST", "--header", "x-a: it's"],
    ...["--data-raw", HOSTILE, "--amount", "1.5", "--network", "dev"],
  ]);
  const curl = wordsOf(copies.get("curl")!);
  expect(curl.slice(0, 2)).toEqual(["curl", "http://127.0.0.1:1/runtime/operations"]);
  expect(JSON.parse(curl.at(-1)!)).toMatchObject({
    from: "bootstrap0",
    url: sent.url,
    body: HOSTILE,
    tez: "1.5",
  });
});

it("holds no character that a terminal would obey when it is pasted", () => {
  const body = `it's \u0003\n touch x\r\t\u007f\u007f\u001b[201~ \\ \u0085 \u009b2J é 𝒳 \u0001f`;
  const request = { ...sent, url: `jstz://echo/?${body}`, headers: { "x-a": body }, body };
  const [command, curl] = copiesOf(request, { address: "http://127.0.0.1:1/", status: 200 });
  for (const { text } of [command!, curl!]) expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
  const words = wordsOf(command!.text, "bash");
  expect([words[2], words[6], words[8]]).toEqual([request.url, `x-a: ${body}`, body]);
  expect(JSON.parse(wordsOf(curl!.text, "bash").at(-1)!)).toEqual(request);
});

it.each(["fetch", "Test"])("writes %s as a module that parses, with the same values", (name) => {
  const text = copies.get(name)!;
  // As a function body, without imports.
  const body = text.replace(/^import .*$/gm, "");
  expect(() => new Function(`return async () => {${body}}`)).not.toThrow();
  expect(text).toContain(JSON.stringify(HOSTILE));
});

it("expects the status of the call", () => {
  expect(copies.get("Test")).toContain("expect(response.status).toBe(404);");
});
