// How severe a line of a log is.

/** Of the daemon's log, from most to least severe. */
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Of the log of a smart function, from most to least severe. */
export const FUNCTION_LOG_LEVELS = ["ERROR", "WARN", "INFO", "DEBUG"] as const;
export type FunctionLogLevel = (typeof FUNCTION_LOG_LEVELS)[number];
