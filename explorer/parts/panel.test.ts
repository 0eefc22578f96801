import { type ComponentChildren, isValidElement } from "preact";
import { expect, it } from "vitest";
import { Failure } from "../state/api.ts";
import { FailureNote } from "./panel.tsx";

/** The texts of a tree, as a reader sees them. */
function textOf(node: ComponentChildren): string {
  if (Array.isArray(node)) return node.map(textOf).join("");
  if (isValidElement(node)) return textOf(node.props.children);
  return typeof node === "string" ? node : "";
}

const HIDDEN = "\u202e\u200b\u001b[2J";

it.each([
  ["its message", new Failure("X", `a${HIDDEN}b`, "then")],
  ["its next step", new Failure("X", "a", `then${HIDDEN}`)],
  ["the message of an error of the browser", new TypeError(`a${HIDDEN}b`)],
  ["what is no error", `a${HIDDEN}b`],
])("a failure shows hidden characters by their codes in %s", (_what, of) => {
  const text = textOf(FailureNote({ of }));
  for (const character of HIDDEN.slice(0, 3)) expect(text).not.toContain(character);
  expect(text).toMatch(/202E.*200B.*1B/i);
});

it("a failure shows markup as text", () => {
  const markup = "<img src=x onerror=alert(1)>";
  const note = FailureNote({ of: new Failure("X", markup, markup) });
  expect(textOf(note)).toBe(`${markup} ${markup}`);
  expect(JSON.stringify(note)).not.toContain("dangerouslySetInnerHTML");
});
