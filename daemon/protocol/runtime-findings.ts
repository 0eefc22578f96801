// The findings of `functez check`: stable codes, with the behaviour of the real runtime and of this sandbox.
import { EXTRA_GLOBALS, LIMITS, TEXTS, THROWING_FUNCTIONS, THROWING_GETTER } from "./real-runtime.ts";

export type Severity = "error" | "warning" | "note";

/** A kind of finding. Its code keeps its meaning. */
interface FindingKind {
  readonly severity: Severity;
  readonly title: string;
  /** What the real runtime does. */
  readonly there: string;
  readonly here: string;
}

/** All kinds of findings by code. */
export const FINDINGS = {
  MISSING_GLOBAL: {
    severity: "error",
    title: "a global that does not exist, or a member of the language that is newer",
    there: "using it throws a ReferenceError or a TypeError",
    here: `${EXTRA_GLOBALS.join(", ")} and the newer members exist; the others are missing too`,
  },
  THROWING_GLOBAL: {
    severity: "error",
    title: "a function or getter that throws",
    there: `${THROWING_FUNCTIONS.join(", ")} throw NotSupported when called; ${THROWING_GETTER} throws when read`,
    here: `the functions throw too; ${THROWING_GETTER} is not defined`,
  },
  KV_HAS: {
    severity: "error",
    title: "Kv.has",
    there: "missing: calling it throws a TypeError; use Kv.contains",
    here: "both exist",
  },
  WITHDRAWAL: {
    severity: "error",
    title: "a withdrawal to layer 1",
    there: `404 Not Found from a function; 400 "${TEXTS.withdrawal}" from a user`,
    here: "works",
  },
  LATE_IMPORT: {
    severity: "error",
    title: "an import that is left in the code",
    there: "the deploy fails: Import specifiers are not supported",
    here: "the same",
  },
  TOP_LEVEL_ACCESS: {
    severity: "error",
    title: "Kv, Ledger or console at the top level of the module",
    there: "the deploy fails: modules are evaluated without access to the protocol",
    here: "the same",
  },
  NO_HANDLER: {
    severity: "error",
    title: "no default export",
    there: "the deploy fails: No default handler",
    here: "the same",
  },
  SYNTAX: {
    severity: "error",
    title: "code that is not a JavaScript module",
    there: "the deploy fails with a SyntaxError",
    here: "the same, with another text; `using`, which is newer, works",
  },
  CODE_SIZE: {
    severity: "error",
    title: `an operation above ${LIMITS.deployBytes} bytes`,
    there: "the node rejects it with 413 or 500",
    here: "the same",
  },
  LIVE_CALLS: {
    severity: "warning",
    title: `more than ${LIMITS.liveCalls} live calls`,
    there: `the calls beyond ${LIMITS.liveCalls}, the caller included, are answered with 500`,
    here: "calls that one function starts at once run one after another",
  },
  OUTSIDE_AFTER_STATE: {
    severity: "error",
    title: "a request to the outside after an access to Kv or Ledger",
    there: "answered with 400: the transaction has pending changes",
    here: "the same",
  },
  FIXED_VALUE: {
    severity: "note",
    title: "the time of day, or a random number",
    there: `always ${new Date(LIMITS.now).toISOString()} and ${LIMITS.random}`,
    here: "the same, unless runtime_node.real_time is set",
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

export type FindingCode = keyof typeof FINDINGS;
