// How severe a line in the log of a smart function is.

/** From most to least severe. */
export const FUNCTION_LOG_LEVELS = ["ERROR", "WARN", "INFO", "DEBUG"] as const;
export type FunctionLogLevel = (typeof FUNCTION_LOG_LEVELS)[number];
