import { describe, expect, it } from "vitest";
import { Ledger, type LedgerWrite } from "../ledger/ledger.ts";
import type { Job } from "../operations/jobs.ts";
import { Journal } from "./journal.ts";

const job = (hash: string) => ({ kind: "deposit", seq: 1, hash }) as unknown as Job;
const run = (hash: string) => ({ job: job(hash), circumstances: undefined, isLost: false });

/** A ledger whose changes are all in a journal. */
class Recorded {
  ledger = new Ledger();
  readonly journal: Journal;

  constructor(bounds = { entries: 100, characters: 1_000_000 }) {
    this.journal = new Journal(bounds);
  }

  change(hash: string | undefined, ...writes: LedgerWrite[]): void {
    this.journal.add(this.ledger, { writes, removed: [] }, hash === undefined ? undefined : run(hash));
    for (const write of writes) this.ledger.apply(write);
  }

  /** All values before an operation, as text. */
  before(hash: string): string | undefined {
    const entry = this.journal.find(hash);
    const since = entry && this.journal.since(entry.number);
    if (since === undefined) return undefined;
    const ledger = this.ledger.copy();
    for (const { undo } of since) ledger.amend(undo);
    return textOf(ledger);
  }
}

const textOf = (ledger: Ledger): string =>
  JSON.stringify(
    [...ledger.writes()].sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
  );
const set = (key: string, value: string | undefined): LedgerWrite => ["value", "KT1", key, value];

describe("the journal", () => {
  it("leads back to the state before each operation, through writes, deletions, accounts, code and tickets", () => {
    const recorded = new Recorded();
    const states: string[] = [];
    const changes: LedgerWrite[][] = [
      [["account", "tz1", "5:0"]],
      [
        ["code", "KT1", "code"],
        ["account", "KT1", "0:0"],
        ["account", "tz1", "5:1"],
      ],
      [set("a", "1"), set("b", "2")],
      [set("a", undefined), set("c", "3"), ["ticket", "hash", "KT1", "7"]],
      [],
      [set("a", "4"), set("b", undefined), ["ticket", "hash", "KT1", "9"], ["account", "tz1", "4:2"]],
    ];
    for (const [i, writes] of changes.entries()) {
      states.push(textOf(recorded.ledger));
      recorded.change(`op${i}`, ...writes);
    }
    for (const i of [3, 0, 5, 2, 4, 1]) expect(recorded.before(`op${i}`)).toBe(states[i]);
  });

  it("undoes changes outside of operations as well, also what they removed", () => {
    const recorded = new Recorded();
    recorded.change("op", set("a", "1"), ["ticket", "hash", "KT1", "7"]);
    const difference = { writes: [set("a", "2")], removed: [["ticket", "hash/KT1"] as const] };
    recorded.journal.add(recorded.ledger, difference);
    recorded.ledger.amend(difference);
    recorded.change("later", set("a", "3"));
    expect(recorded.before("later")).toBe(JSON.stringify([set("a", "2")]));
    expect(recorded.before("op")).toBe("[]");
  });

  it("drops the oldest by number and by size, and says so", () => {
    const byNumber = new Recorded({ entries: 3, characters: 1_000_000 });
    for (let i = 0; i < 5; i++) byNumber.change(`op${i}`, set("a", `${i}`));
    expect([0, 1, 2, 3, 4].map((i) => byNumber.before(`op${i}`) !== undefined)).toEqual([
      ...[false, false],
      ...[true, true, true],
    ]);
    expect(byNumber.journal.gapOf("op0", true)).toBe("dropped");
    expect(byNumber.journal.gapOf("other", false)).toBe("unknown");
    const bySize = new Recorded({ entries: 100, characters: 5_000 });
    for (let i = 0; i < 5; i++) bySize.change(`op${i}`, set("a", "x".repeat(1_500)));
    expect([0, 1, 2, 3, 4].filter((i) => bySize.journal.find(`op${i}`))).toEqual([3, 4]);
  });

  it("drops everything rather than keep more than its size", () => {
    const { journal, ledger } = new Recorded({ entries: 100, characters: 5_000 });
    journal.add(ledger, { writes: [], removed: [] }, run("large"), 10_000);
    expect(journal.find("large")).toBeUndefined();
    expect(journal.since(journal.mark)).toBeUndefined();
  });

  it("forgets what a snapshot undoes, and leads back from the state that it brings", () => {
    const recorded = new Recorded();
    recorded.change("a", set("k", "1"));
    recorded.change("b", set("k", "2"));
    const [mark, state] = [recorded.journal.mark, recorded.ledger.copy()];
    recorded.change("c", set("k", "3"));
    recorded.ledger = state.copy();
    recorded.journal.forgetSince(mark);
    expect(recorded.before("c")).toBeUndefined();
    expect(recorded.journal.gapOf("c", false)).toBe("undone");
    recorded.change("d", set("k", "4"));
    expect(recorded.before("d")).toBe(JSON.stringify([set("k", "2")]));
    expect(recorded.before("b")).toBe(JSON.stringify([set("k", "1")]));
    expect(recorded.before("a")).toBe("[]");
    // The same snapshot again, without and with operations in between.
    for (const hash of ["e", "f"]) {
      recorded.ledger = state.copy();
      recorded.journal.forgetSince(mark);
      expect(recorded.before("b")).toBe(JSON.stringify([set("k", "1")]));
      recorded.change(hash, set("k", "5"));
    }
  });

  it("keeps nothing that does not lead to the state of a snapshot", () => {
    const recorded = new Recorded();
    recorded.change("a", set("k", "1"));
    const first = { mark: recorded.journal.mark, ledger: recorded.ledger.copy() };
    recorded.change("b", set("k", "2"));
    const second = { mark: recorded.journal.mark, ledger: recorded.ledger.copy() };
    const restore = ({ mark, ledger }: typeof first): void => {
      recorded.ledger = ledger.copy();
      recorded.journal.forgetSince(mark);
    };
    restore(first);
    recorded.change("c", set("k", "3"));
    restore(second); // what led from the first to the second is gone
    expect(["a", "b", "c"].map((hash) => recorded.before(hash))).toEqual([undefined, undefined, undefined]);
    recorded.change("d", set("k", "4"));
    expect(recorded.before("d")).toBe(JSON.stringify([set("k", "2")]));
  });
});
