import { expect, it } from "vitest";
import { styledOutput } from "./styled-output.ts";

function stream(isTTY: boolean) {
  const written: string[] = [];
  const output = styledOutput({ isTTY, write: (text: string) => written.push(text) } as never);
  return { ...output, written };
}

it("applies our own colours on a terminal, and shows foreign escapes as text", () => {
  const { colors, write, written } = stream(true);
  write(`${colors.red(`\u001b[32mnot green\u001b[39m`)}\n`);
  const [text] = written;
  expect(text).toContain("\\u001b[32mnot green\\u001b[39m");
  if (colors.isColorSupported) expect(text).toBe("\u001b[31m\\u001b[32mnot green\\u001b[39m\u001b[39m\n");
});

it("never treats foreign text as one of our colours", () => {
  const { colors, write, written } = stream(true);
  // A colour meant for another terminal shows up as the escape, not as the mark.
  write("\u0001guess\u0001[2J");
  expect(written).toEqual(["\\u0001guess\\u0001[2J"]);
  expect(colors.red("x")).not.toContain("\u001b");
});

it("passes bytes to pipes unchanged", () => {
  const { write, written } = stream(false);
  write("\u001b[2J\u009b\u202e");
  expect(written).toEqual(["\u001b[2J\u009b\u202e"]);
});

it("shows the escapes in our own texts to pipes too", () => {
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text) } as never;
  styledOutput(output, { always: true }).write("\u001b[31m\ufeff.ts cannot be read");
  expect(written).toEqual(["\\u001b[31m\\ufeff.ts cannot be read"]);
});
