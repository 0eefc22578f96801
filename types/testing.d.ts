// Types of `functez/testing` for ES modules: the same as for CommonJS.
export * from "./testing.cjs";
