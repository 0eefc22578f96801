import { describe, expect, it } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { ShownValue } from "../chain/shown-value.ts";
import { humanType } from "../human/human-type.ts";
import { MAX_ANSWER } from "./answer-limits.ts";
import { AnswerWriter } from "./answer-writer.ts";
import { OneLongAnswer } from "./long-answers.ts";
import { Turns } from "./turns.ts";

const writer = (places = new OneLongAnswer()) => new AnswerWriter(new Turns().begin(60_000), places);
async function text(value: unknown, format: 0 | 1 | 2 | 3 = 0): Promise<string> {
  const written = writer();
  await written.value(value, format);
  return written.finish();
}
const tooLarge = expect.objectContaining({ code: "ANSWER_TOO_LARGE" }) as object;

describe("writes", () => {
  it.each([
    [[]],
    [{}],
    [null],
    ['a"\\\u0001\u2028é'],
    [[1, -2.5, true, null, "x", [[], {}], { a: { b: [] }, "": 0 }]],
    [{ gone: undefined, kept: [undefined, 1], last: undefined }],
  ])("%j as JSON.stringify does", async (value) => expect(await text(value)).toBe(JSON.stringify(value)));

  it("integers of any size", async () => {
    expect(await text({ a: [2n ** 70n, -1n] })).toBe('{"a":[1180591620717411303424,-1]}');
  });

  it("values of Michelson in all formats", async () => {
    const type = humanType({ prim: "pair", args: [{ prim: "nat", annots: ["%n"] }, { prim: "string" }] });
    const value = new ShownValue(type, { prim: "Pair", args: [{ int: "1" }, { string: 'a"' }] });
    const human = { n: "1", string: 'a"' };
    expect(await text([value])).toBe(JSON.stringify([human]));
    expect(await text([value], 1)).toBe(JSON.stringify([JSON.stringify(human)]));
    expect(await text([value], 2)).toBe(JSON.stringify([value.node]));
    expect(await text([value], 3)).toBe(JSON.stringify([JSON.stringify(value.node)]));
  });

  it("values nested deeper than any stack", async () => {
    let deep: Micheline = [];
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(await text(new ShownValue(undefined, deep), 2)).toBe("[".repeat(100_001) + "]".repeat(100_001));
    const lambda = new ShownValue(
      humanType({ prim: "lambda", args: [{ prim: "unit" }, { prim: "unit" }] }),
      deep,
    );
    expect(await text(lambda)).toHaveLength(200_002);
  });
});

/** A list of records with names of 250 characters: 3 bytes of a value become 300 of text. */
const FIELDS = Array.from({ length: 50 }, (_, i) => ({ prim: "unit", annots: [`%${"x".repeat(250)}${i}`] }));
const AMPLIFIED = humanType({ prim: "list", args: [{ prim: "pair", args: FIELDS }] });
const record = { prim: "Pair", args: Array.from({ length: 50 }, () => ({ prim: "Unit" })) };

describe("stops at the limit before the text exists", () => {
  it.each([0, 1] as const)("for a value that expands, in format %d", async (format) => {
    const value = new ShownValue(
      AMPLIFIED,
      Array.from({ length: 100_000 }, () => record),
    ); // 1.3 GB
    const begun = processorTime();
    await expect(text(value, format)).rejects.toThrow(tooLarge);
    expect(processorTime() - begun).toBeLessThan(2_000);
  });

  it("for many values, and for raw Micheline", async () => {
    const value = new ShownValue(
      AMPLIFIED,
      Array.from({ length: 100 }, () => record),
    ); // 1.3 MB
    await expect(text(Array.from({ length: 100_000 }, () => value))).rejects.toThrow(tooLarge);
    await expect(
      text(
        Array.from({ length: 100_000 }, () => value),
        2,
      ),
    ).rejects.toThrow(tooLarge);
    await expect(
      text(
        Array.from({ length: 100_000 }, () => value),
        3,
      ),
    ).rejects.toThrow(tooLarge);
  });

  it("with the next step", async () => {
    const error = (await text("x".repeat(MAX_ANSWER)).catch((failure: unknown) => failure)) as {
      toBody(): unknown;
    };
    expect(error.toBody()).toMatchObject({
      error: { code: "ANSWER_TOO_LARGE", next: expect.stringContaining("`limit`") },
    });
  });
});

it("long answers are written one at a time, in the order of the requests", async () => {
  const places = new OneLongAnswer();
  const value = new ShownValue(
    AMPLIFIED,
    Array.from({ length: 20 }, () => record),
  );
  const done: number[] = [];
  const writers = [0, 1, 2].map(() => writer(places));
  const all = writers.map((each, i) => each.value(value).then(() => void done.push(i)));
  await writer(places).value("short");
  await all[0];
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual([0]);
  writers[0]!.leave();
  await all[1];
  expect(done).toEqual([0, 1]);
  writers[1]!.leave();
  await all[2];
  writers[2]!.leave();
  const leave = await places.enter(); // it is free again
  leave();
});
