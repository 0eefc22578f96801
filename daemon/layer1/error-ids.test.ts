// Checks that every layer-1 error has an id of the real protocol, or one marked as the sandbox's own.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PLUGIN_IDS, PROTOCOL_IDS, SHELL_IDS } from "./testing/octez-error-ids.ts";

/** Errors are constructed by these three functions only (`michelson-error.ts`). */
const MADE = /\b(?:permanent|temporary|branch)\(\s*([^\s,)]+)/g;
/** Their own declarations. */
const DECLARED = "id:";

const sources = (): readonly string[] =>
  readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes("testing"),
  );

/** Each first argument in the sources, with the file. */
function idsInSources(): readonly (readonly [string, string])[] {
  return sources().flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    return [...text.matchAll(MADE)].map(([, argument]) => [name, argument!] as const);
  });
}

it("every id is the real protocol's, or begins with `sandbox.`", () => {
  const found = idsInSources();
  // Guards the search itself: this id must be found.
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
