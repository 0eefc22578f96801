// Whether every error that layer 1 may answer with has an id of the real protocol, or says that it is the sandbox's.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PLUGIN_IDS, PROTOCOL_IDS, SHELL_IDS } from "./testing/octez-error-ids.ts";

/** Errors are made by these three functions and by no others (`michelson-error.ts`). */
const MADE = /\b(?:permanent|temporary|branch)\(\s*([^\s,)]+)/g;
/** Their own declarations. */
const DECLARED = "id:";

const sources = (): readonly string[] =>
  readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes("testing"),
  );

/** Each first argument in the sources, with the file. */
function made(): readonly (readonly [string, string])[] {
  return sources().flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    return [...text.matchAll(MADE)].map(([, argument]) => [name, argument!] as const);
  });
}

it("every id is one of the real protocol, or begins with `sandbox.`", () => {
  const found = made();
  // The search itself works: it finds what every receipt may hold.
  expect(found.map(([, argument]) => argument)).toContain('"contract.balance_too_low"');
  expect(found.length).toBeGreaterThan(100);
  const unknown = found.filter(([, argument]) => {
    const id = /^"([^"]+)"$/.exec(argument)?.[1];
    if (id === undefined) return argument !== DECLARED;
    const isKnown = [PROTOCOL_IDS, PLUGIN_IDS, SHELL_IDS].some((ids) => ids.has(id));
    return !isKnown && !id.startsWith("sandbox.");
  });
  expect(unknown).toEqual([]);
});
