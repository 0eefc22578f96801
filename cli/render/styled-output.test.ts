import { expect, it } from "vitest";
import { styledOutput } from "./styled-output.ts";

function stream(isTTY: boolean) {
  const written: string[] = [];
  const output = styledOutput({ isTTY, write: (text: string) => written.push(text) } as never);
  return { ...output, written };
}

it("obeys our own colours on a terminal, and shows those of others", () => {
  const { colors, write, written } = stream(true);
  write(`${colors.red(`\u001b[32mnot green\u001b[39m`)}\n`);
  const [text] = written;
  expect(text).toContain("\\u001b[32mnot green\\u001b[39m");
  if (colors.isColorSupported) expect(text).toBe("\u001b[31m\\u001b[32mnot green\\u001b[39m\u001b[39m\n");
});

it("takes nothing that a stranger writes for a colour of ours", () => {
  const { colors, write, written } = stream(true);
  // What they see of a colour on another terminal is the escape, not the mark.
  write("\u0001guess\u0001[2J");
  expect(written).toEqual(["\\u0001guess\\u0001[2J"]);
  expect(colors.red("x")).not.toContain("\u001b");
});

it("gives pipes their bytes", () => {
  const { write, written } = stream(false);
  write("\u001b[2J\u009b\u202e");
  expect(written).toEqual(["\u001b[2J\u009b\u202e"]);
});
