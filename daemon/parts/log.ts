// The log as parts see it.

/** The little of a logger that parts use (pino has this shape). */
export interface Log {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

/** A log that keeps nothing, for tests and short-lived commands. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
