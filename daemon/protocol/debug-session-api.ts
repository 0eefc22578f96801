// Shapes of debug sessions: what a debug adapter asks of the runtime's debugger, and what it gets. A session is a
// recorded operation, with a place in it where the debugger is.

export interface SourceBreakpoint {
  /** From 1. */
  readonly line: number;
  readonly column?: number;
  readonly condition?: string;
  /** `5`, `>5`, `>=5`, `<5`, `%5`: the hits since the operation began. */
  readonly hitCondition?: string;
  /** Printed instead of stopping; `{expressions}` are evaluated. */
  readonly logMessage?: string;
}

/** Where a breakpoint really is. */
export interface PlacedBreakpoint {
  readonly verified: boolean;
  readonly line?: number;
  readonly column?: number;
  readonly message?: string;
}

export interface DataBreakpoint {
  readonly dataId: string;
}

/** A way through the recording. */
export type Motion =
  | {
      readonly kind:
        | "start"
        /** To the first line of the handler: the top levels of modules run before. */
        | "handler"
        | "continue"
        | "reverseContinue"
        | "next"
        | "stepIn"
        | "stepOut"
        | "stepBack"
        | "stepInBack"
        | "stepOutBack"
        /** To what made the operation fail. */
        | "error"
        | "end";
    }
  | { readonly kind: "goto"; readonly moment: number }
  /** To a line of the recording, by its number. */
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "restartFrame"; readonly frame: number }
  /** To the last change of a key or a balance. */
  | { readonly kind: "lastChange"; readonly dataId: string };

export const MOTIONS = [
  "start",
  "handler",
  "continue",
  "reverseContinue",
  "next",
  "stepIn",
  "stepOut",
  "stepBack",
  "stepInBack",
  "stepOutBack",
  "error",
  "end",
] as const;

export type SessionCommand =
  | {
      readonly command: "breakpoints";
      readonly source: string;
      readonly breakpoints: readonly SourceBreakpoint[];
    }
  | { readonly command: "exceptions"; readonly filters: readonly string[] }
  | { readonly command: "dataBreakpoints"; readonly breakpoints: readonly DataBreakpoint[] }
  | { readonly command: "dataBreakpointInfo"; readonly ref?: number; readonly name: string }
  | { readonly command: "go"; readonly motion: Motion }
  | { readonly command: "stack" }
  | { readonly command: "scopes"; readonly frame: number }
  | {
      readonly command: "variables";
      readonly ref: number;
      readonly filter?: "indexed" | "named";
      readonly start?: number;
      readonly count?: number;
    }
  | {
      readonly command: "evaluate";
      readonly expression: string;
      readonly frame?: number;
      readonly isWhole?: boolean;
    }
  | { readonly command: "exception" }
  | {
      readonly command: "locations";
      readonly source: string;
      readonly line: number;
      readonly endLine?: number;
    }
  | { readonly command: "gotoTargets"; readonly source: string; readonly line: number }
  | { readonly command: "sources" }
  | { readonly command: "source"; readonly source: string };

/** What the command `open` tells of the operation. */
export interface OpenedSession {
  readonly session: string;
  readonly hash: string;
  /** Such as `GET /increment`. */
  readonly title: string;
  readonly gas: number;
  /** Events of the recording, and bytecodes that ran. */
  readonly events: number;
  readonly moments: number;
  /** Lines and statements that began: one may go to each by its number, from 1. */
  readonly steps: number;
  /** False when events were too many to record them all. */
  readonly isWhole: boolean;
  /** Why it failed, or null. */
  readonly failure: string | null;
  readonly sources: readonly string[];
}

export interface OutputLine {
  readonly text: string;
  readonly source?: string;
  readonly line?: number;
}

/** Where a motion ended. */
export interface Arrival {
  readonly reason:
    | "step"
    | "breakpoint"
    | "exception"
    | "data breakpoint"
    | "entry"
    | "goto"
    | "pause"
    | "end";
  /** Number of the bytecode that comes next. */
  readonly moment: number;
  /** The latest line that has begun: 0 before the first. */
  readonly step: number;
  readonly description?: string;
  readonly output: readonly OutputLine[];
}

/** What the command `look` tells: an operation with its first stop. Without one its session is closed again. */
export interface FirstStop {
  readonly opened: OpenedSession;
  readonly arrival: Arrival;
}

/** All breakpoints of an editor, for the command `look`. */
export interface AllBreakpoints {
  readonly breakpoints: readonly {
    readonly source: string;
    readonly breakpoints: readonly SourceBreakpoint[];
  }[];
  /** Names of the exceptions at which to stop. */
  readonly filters: readonly string[];
  readonly dataBreakpoints: readonly DataBreakpoint[];
}

export interface SessionFrame {
  readonly name: string;
  /** Absolute path, or `jstz://<address>`. */
  readonly source: string;
  readonly line: number;
  readonly column: number;
  /** Address of the smart function. */
  readonly address: string;
  readonly state: "running" | "calls" | "awaits" | "returned";
}

export interface SessionScope {
  readonly name: string;
  readonly ref: number;
  readonly named: number;
  readonly indexed: number;
}

export interface SessionVariable {
  readonly name: string;
  readonly value: string;
  readonly type: string;
  /** Number under which its children are asked for; 0 when it has none. */
  readonly ref: number;
  readonly named: number;
  readonly indexed: number;
  readonly evaluateName?: string;
  /** A getter: its children are its value, once somebody asks. */
  readonly isLazy?: true;
  readonly isInternal?: true;
  /** Can be watched for changes. */
  readonly dataId?: string;
}

export interface EvaluatedExpression {
  readonly value: string;
  readonly type: string;
  readonly ref: number;
  readonly named: number;
  readonly indexed: number;
}

export interface DataBreakpointInfo {
  readonly dataId: string | null;
  readonly description: string;
}

export interface ThrownException {
  readonly text: string;
  readonly isUncaught: boolean;
  readonly stack: string | null;
}

export interface GotoTarget {
  readonly moment: number;
  readonly label: string;
  readonly line: number;
  readonly column: number;
}

export interface BreakpointLocation {
  readonly line: number;
  readonly column: number;
}

/** One operation that changed a value. */
export interface HistoryEntry {
  readonly hash: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Whether it can still run again. */
  readonly canReplay: boolean;
}

export interface ValueHistory {
  /** The newest first. */
  readonly entries: readonly HistoryEntry[];
  /** False when older changes are no longer known. */
  readonly isWhole: boolean;
}

export interface SessionAnswers {
  readonly breakpoints: { readonly breakpoints: readonly PlacedBreakpoint[] };
  readonly exceptions: Record<string, never>;
  readonly dataBreakpoints: { readonly breakpoints: readonly PlacedBreakpoint[] };
  readonly dataBreakpointInfo: DataBreakpointInfo;
  readonly go: Arrival;
  readonly stack: { readonly frames: readonly SessionFrame[] };
  readonly scopes: { readonly scopes: readonly SessionScope[] };
  readonly variables: { readonly variables: readonly SessionVariable[] };
  readonly evaluate: EvaluatedExpression;
  readonly exception: ThrownException;
  readonly locations: { readonly locations: readonly BreakpointLocation[] };
  readonly gotoTargets: { readonly targets: readonly GotoTarget[] };
  readonly sources: { readonly sources: readonly string[] };
  readonly source: { readonly text: string };
}

/** Names a key of a function's store. */
export const valueId = (address: string, key: string): string => `kv:${address}:${key}`;
/** Names the balance of an account. */
export const balanceId = (address: string): string => `balance:${address}`;

/** A session that nobody has asked for so long ends; adapters ask `ping` meanwhile. */
export const SESSION_LEASE_MS = 60_000;

/**
 * Why a held operation went on: the session let it (or looked no further), its time was over, or the owner needed the
 * state at rest (a snapshot, a change by hand, the end of the sandbox).
 */
export type ReleasedBy = "session" | "time" | "owner";

/** Seconds for which a debugger may hold an operation. */
export const HOLD_SECONDS = { least: 1, most: 60, usual: 25 } as const;

/** Events of `POST /debug/hold`, by name. */
export interface HoldEvents {
  /** Operations are held from now on. `hold` names it in the commands `open`, `release` and `done`. */
  readonly open: { readonly hold: string };
  readonly held: { readonly hash: string; readonly seconds: number };
  readonly released: { readonly hash: string; readonly by: ReleasedBy };
}
