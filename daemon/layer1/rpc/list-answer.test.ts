import { describe, expect, it } from "vitest";
import { SandboxError } from "../../protocol/errors.ts";
import { finish } from "../job.ts";
import { outOfTime } from "../michelson/michelson-error.ts";
import { AnswerText, listText } from "./list-answer.ts";

function* countInto(taken: number[], count: number): Iterable<string | undefined> {
  for (let i = 0; i < count; i++) {
    taken.push(i);
    yield i % 2 === 0 ? "x".repeat(10) : undefined;
  }
}

describe("the text of a list", () => {
  it("is its JSON, without what is undefined, and with texts that are made already", () => {
    expect(finish(listText([])).text).toBe("[]");
    const items = [{ a: "1" }, undefined, new AnswerText("[2]"), null, "é"];
    expect(JSON.parse(finish(listText(items)).text)).toEqual([{ a: "1" }, [2], null, "é"]);
    const many = Array.from({ length: 2_500 }, (_, i) => i);
    expect(JSON.parse(finish(listText(many)).text)).toEqual(many);
  });

  it("rests after each item, also after one that is not listed", () => {
    const taken: number[] = [];
    const job = listText(countInto(taken, 100));
    for (let rests = 1; rests <= 100; rests++) {
      expect(job.next().done).toBe(false);
      expect(taken).toHaveLength(rests);
    }
    expect(job.next().done).toBe(true);
  });

  it("is refused with a hint to try again when its time is over, wherever it was", () => {
    const busy = expect.objectContaining({ code: "SERVER_BUSY", status: 503 }) as Error;
    const job = listText(countInto([], 100));
    job.next();
    expect(() => job.throw(outOfTime())).toThrow(busy);
    const items = function* (): Iterable<unknown> {
      yield 1;
      throw outOfTime(); // while a value is read
    };
    expect(() => finish(listText(items()))).toThrow(busy);
  });

  it("is refused when it grows too large, before more of it is made", () => {
    const taken: number[] = [];
    const write = (): unknown => finish(listText(countInto(taken, 1_000_000), 1_000));
    expect(write).toThrow(SandboxError);
    expect(taken.length).toBeLessThan(200);
    expect(write).toThrow(expect.objectContaining({ code: "ANSWER_TOO_LARGE", status: 422 }) as Error);
  });
});
