// Shapes of what the debugger answers, for clients and the runtime.

interface CallFrame {
  readonly functionName: string;
  readonly scriptId: string;
  /** Absolute path, `jstz://<address>` for a function without a source map, or empty. */
  readonly url: string;
  /** From 0; -1 for what has no place in a source. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly hitCount: number;
  readonly children: readonly number[];
  /** Gas by line, from 1. */
  readonly positionTicks?: readonly { readonly line: number; readonly ticks: number }[];
}

/** The format of CPU profiles of V8; a unit of gas stands for a microsecond. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: 0;
  /** Gas of the operation. */
  readonly endTime: number;
  readonly samples: readonly number[];
  /** Gas between the starts of two samples; the last sample lasts until `endTime`. */
  readonly timeDeltas: readonly number[];
}

export interface ProfileReport {
  readonly hash: string;
  /** Gas of the operation, which is the sum of the profile. */
  readonly gas: number;
  /** False when callers are known of the beginning only. */
  readonly isWhole: boolean;
  readonly profile: CpuProfile;
}

export interface SourceLine {
  /** Absolute path, or `jstz://<address>` for a function without a source map. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
  /** How often it began. */
  readonly count: number;
  readonly gas: number;
  readonly text: string | null;
}

export interface LineReport {
  readonly hash: string;
  /** Gas of the operation, with that of the runtime's own work. */
  readonly gas: number;
  readonly isWhole: boolean;
  /** By source, then by line. */
  readonly lines: readonly SourceLine[];
}

/** A function of a source, with the lines of that source that are its own. */
export interface CoveredFunction {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** How often it was called; null for the top level of a module. */
  readonly count: number | null;
  /** Lines with something to run, and how often each ran. */
  readonly lines: readonly (readonly [line: number, count: number])[];
}

export interface CoveredSource {
  /** Absolute path, or `jstz://<address>` for a function without a source map. */
  readonly source: string;
  readonly functions: readonly CoveredFunction[];
}

export interface CoverageReport {
  /** Operations that were counted. */
  readonly operations: number;
  /** Operations that cannot run again, and so were not counted. */
  readonly skipped: number;
  /** The next question goes on after this position. */
  readonly upTo: number;
  /** False when there are more operations to ask for. */
  readonly isComplete: boolean;
  readonly sources: readonly CoveredSource[];
}

/** A place in the code of a deployed function. */
export interface CodePlace {
  readonly address: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** A place in a source that was deployed from this machine. */
export interface SourcePlace {
  /** Absolute path. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Places in one question. */
export const MAX_CODE_PLACES = 200;

/** Tasks of the debugger, as in paths. */
export const DEBUG_ACTIONS = ["profile", "lines", "coverage", "source-map", "places", "session"] as const;
export type DebugAction = (typeof DEBUG_ACTIONS)[number];

/** A question may wait for others, of which each has a minute. */
export const DEBUG_TIMEOUT_MS = 600_000;
