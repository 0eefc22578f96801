// Errors that users can meet: how they are thrown, sent and received. Their texts come from the table.
import { parseShallow } from "../tezos/shallow-json.ts";
import { ERRORS } from "./error-table.ts";

export type ErrorCode = keyof typeof ERRORS;

/** The data that a text of the table needs. */
type Needs<F> = F extends (data: infer D) => string ? (unknown extends D ? object : D) : object;

/** The data of an error, from which its texts are rendered. */
export type ErrorFields<C extends ErrorCode = ErrorCode> = C extends ErrorCode
  ? Readonly<Needs<(typeof ERRORS)[C]["message"]> & Needs<(typeof ERRORS)[C]["next"]>>
  : never;

interface Options {
  readonly cause?: unknown;
  /** The texts from the server that reported it. */
  readonly serverText?: { readonly message: string; readonly next: string };
}

/** The data may be omitted where all of it is optional. */
type Rest<C extends ErrorCode> =
  object extends ErrorFields<C>
    ? [data?: ErrorFields<C>, options?: Options]
    : [data: ErrorFields<C>, options?: Options];

/**
 * Hides secret keys in a text for users: an error that shows what it found in a file or argument may show a key, whole or
 * truncated, in the right place or not.
 */
function withoutSecrets(text: string): string {
  return text.replace(/\b(edsk|spsk|p2sk|edesk|spesk|p2esk)[1-9A-HJ-NP-Za-km-z]{6,}/g, "$1…");
}

/** Avoids a second full stop after a reason that is a sentence itself. */
const asSentence = (text: string): string => text.replace(/([^.][.!?])\.$/, "$1");

/** An error that a user can understand and act on. Any other exception is a bug. */
export class SandboxError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly data: ErrorFields<C>;
  readonly #next: string | undefined;

  constructor(code: C, ...[given, options = {}]: Rest<C>) {
    const { serverText, ...rest } = options;
    const data = (given ?? {}) as ErrorFields<C>;
    super(withoutSecrets(serverText?.message ?? asSentence(textOf(ERRORS[code].message, data))), rest);
    this.#next = serverText?.next;
    this.name = "SandboxError";
    this.code = code;
    this.data = data;
  }

  /** What the user can do now. */
  get next(): string {
    return withoutSecrets(this.#next ?? textOf(ERRORS[this.code].next, this.data));
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** The form in HTTP answers and command output: `{"error":{"code","message","next","data"}}`. */
  toBody(): ErrorBody {
    const { code, message, next } = this;
    return { error: { code, message, next, data: redact(this.data) } };
  }
}

export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly next: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** Whether a thrown value is the error with this code. */
export function isError<C extends ErrorCode>(error: unknown, code: C): error is SandboxError<C> {
  return error instanceof SandboxError && error.code === code;
}

/** Entry and data belong to the same code, which the types cannot express for a code that varies. */
const textOf = (text: (data: never) => string, data: object): string => text(data as never);

/** The data as JSON, without secrets, with amounts as texts. */
function redact(data: object): Readonly<Record<string, unknown>> {
  const json = JSON.stringify(data, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : typeof value === "string" ? withoutSecrets(value) : value,
  );
  return JSON.parse(json) as Readonly<Record<string, unknown>>;
}

/** The error in an answer of one of our servers; undefined when the body is not ours. */
export function errorInBody(body: string): SandboxError | undefined {
  let error: unknown;
  try {
    error = (parseShallow(body) as { readonly error?: unknown } | null)?.error;
  } catch {
    return undefined;
  }
  const { code, message, next, data } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code !== "string" || !Object.hasOwn(ERRORS, code)) return undefined;
  if (typeof message !== "string" || typeof next !== "string") return undefined;
  // Data from another program is not checked further, for our texts are not rendered from it.
  const sent = typeof data === "object" && data !== null ? data : {};
  return new SandboxError(code as ErrorCode, sent, { serverText: { message, next } });
}

/** An error as ours: that of another bundle is of another class. */
export function ownError(error: unknown): unknown {
  const { toBody } = (error ?? {}) as Partial<SandboxError>;
  return (toBody && errorInBody(JSON.stringify(toBody.call(error as SandboxError)))) ?? error;
}

/** One line about a thrown value and its cause, for logs and messages. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  const own = error.message || code || error.name;
  return error.cause === undefined ? own : `${own} (${reasonOf(error.cause)})`;
}
