// Signatures of tz4 keys are checked apart from the line of operations: whoever sends many of them waits for itself.
import { describe, expect, it } from "vitest";
import type { CheckSignature, Signed } from "../operations/validate.ts";
import { steppedTurns } from "../testing/stepped-turns.ts";
import { SignatureChecks } from "./signature-checks.ts";

const CHECK_MS = 20;
const signed: Signed = { message: new Uint8Array([1]), signature: new Uint8Array([2]) };

function setUp() {
  const stepped = steppedTurns();
  const checked: string[] = [];
  const checks = new SignatureChecks(stepped.turns, (publicKey) => {
    stepped.now += publicKey.startsWith("BLpk") ? CHECK_MS : 0;
    checked.push(publicKey);
    return !publicKey.includes("wrong");
  });
  const send = (publicKey: string): Promise<string> =>
    checks.before((check) => Promise.resolve().then(() => (check(publicKey, signed) ? "taken" : "refused")));
  const settle = async (all: readonly Promise<unknown>[]): Promise<readonly unknown[]> => {
    const outcomes = Promise.allSettled(all);
    let isOver = false;
    void outcomes.then(() => (isOver = true));
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      stepped.turn();
    }
    return (await outcomes).map((each) =>
      each.status === "fulfilled" ? each.value : (each.reason as { code?: string }).code,
    );
  };
  return { stepped, checks, checked, send, settled: settle };
}

describe("checks of signatures", () => {
  it("tell right ones from wrong ones, and check each once", async () => {
    const { send, settled, checked } = setUp();
    const keys = ["BLpk1", "BLpk wrong", "edpk1", "edpk wrong"];
    expect(await settled(keys.map(send))).toEqual(["taken", "refused", "taken", "refused"]);
    expect([...checked].sort()).toEqual([...keys].sort());
  });

  it("go by turns of the keys", async () => {
    const { send, settled, checked } = setUp();
    const keys = ["BLpk wrong", "BLpk wrong", "BLpk wrong", "BLpk wrong", "BLpk honest"];
    await settled(keys.map(send));
    expect(checked.indexOf("BLpk honest")).toBeLessThan(3);
  });

  it("refuse what is more than can be checked in the time that others wait", async () => {
    const { send, settled } = setUp();
    const outcomes = await settled(Array.from({ length: 400 }, () => send("BLpk wrong")));
    expect(outcomes.filter((each) => each === "LAYER1_BUSY").length).toBeGreaterThan(390);
    const others = await settled(Array.from({ length: 400 }, (_, i) => send(`BLpk${i}`)));
    const taken = others.filter((each) => each === "taken").length;
    expect(taken).toBeGreaterThan(20);
    expect(taken * CHECK_MS).toBeLessThan(2_000);
    expect(await settled([send("BLpk afterwards")])).toEqual(["taken"]);
  });

  it("leave the thread to jobs for as long as each took", async () => {
    const { stepped, send, settled } = setUp();
    const sent = Array.from({ length: 10 }, (_, i) => send(`BLpk${i}`));
    await new Promise((resolve) => setImmediate(resolve));
    const done = stepped.turns.run(() => stepped.job("job", 50), { lane: "trial", bytes: 1 });
    let doneAt: number | undefined;
    const whole = Promise.resolve(done).then(() => (doneAt = stepped.now));
    await settled([...sent, whole]);
    expect(doneAt).toBeLessThan(2 * 50 + 2 * CHECK_MS);
  });

  it("of what changes nothing come afterwards: the first wrong one refuses it, whatever came of it", async () => {
    const { checks, settled, checked } = setUp();
    const refuse = (): never => {
      throw Object.assign(new Error("refused"), { code: "refused" });
    };
    const attempt = (keys: readonly string[], end?: string): Promise<string> =>
      checks.after((check: CheckSignature) => {
        for (const key of keys) if (!check(key, signed)) refuse();
        return end === undefined
          ? Promise.resolve("done")
          : Promise.reject(Object.assign(new Error(end), { code: end }));
      }, refuse);
    expect(await settled([attempt(["BLpk1", "BLpk2"])])).toEqual(["done"]);
    expect(await settled([attempt(["BLpk1", "BLpk wrong"])])).toEqual(["refused"]);
    expect(await settled([attempt(["BLpk1"], "late")])).toEqual(["late"]);
    expect(await settled([attempt(["BLpk wrong"], "late")])).toEqual(["refused"]);
    expect(checked).toHaveLength(6);
  });
});
