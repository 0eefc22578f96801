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
function wordsOf(command: string): string[] {
  const shown = execFileSync("sh", [
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
