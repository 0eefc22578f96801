// The operations that a question for coverage counts: those that ran smart functions and can run again, the oldest first,
// a limited number at a time.
import type { CoveredSource } from "../../protocol/debug-api.ts";
import type { Journal, JournalEntry, RecordedRun } from "../store/journal.ts";
import { obstacleOf } from "./obstacle.ts";

/** Operations of an answer: each may take as long as its gas allows. */
const MAX_OPERATIONS = 300;

/** What the thread of a question answers. */
export interface ThreadCoverage {
  readonly operations: number;
  readonly skipped: number;
  readonly sources: readonly CoveredSource[];
}

interface Coverable {
  /** The oldest first. */
  readonly entries: readonly JournalEntry[];
  /** Those that cannot run again. */
  readonly skipped: number;
  /** Position of the last one looked at. */
  readonly upTo: number;
  readonly isComplete: boolean;
}

/** @param after position of an earlier answer; 0 for all */
export function coverableAfter(journal: Journal, after: number, limit = MAX_OPERATIONS): Coverable {
  const later = journal.since(Math.max(after + 1, journal.oldestNumber)) ?? [];
  const entries: JournalEntry[] = [];
  let skipped = 0;
  let upTo = after;
  for (const entry of later.reverse()) {
    if (entries.length === limit) return { entries, skipped, upTo, isComplete: false };
    upTo = entry.number;
    if (entry.run === undefined || !runsFunctions(entry.run)) continue;
    if (obstacleOf(entry.run) === undefined) entries.push(entry);
    else skipped++;
  }
  return { entries, skipped, upTo, isComplete: true };
}

const runsFunctions = ({ job }: RecordedRun): boolean =>
  job.kind === "deposit" || job.content._type === "RunFunction";
