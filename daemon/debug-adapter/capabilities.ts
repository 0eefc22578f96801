// What the adapter can do, as told in the answer to `initialize`.
export const CAPABILITIES = {
  supportsConfigurationDoneRequest: true,
  supportsStepBack: true,
  supportsRestartFrame: true,
  supportsGotoTargetsRequest: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsDataBreakpoints: true,
  supportsEvaluateForHovers: true,
  supportsClipboardContext: true,
  supportsExceptionInfoRequest: true,
  supportsLoadedSourcesRequest: true,
  supportsBreakpointLocationsRequest: true,
  supportsDelayedStackTraceLoading: true,
  supportsTerminateRequest: true,
  supportTerminateDebuggee: false,
  supportsVariablePaging: true,
  exceptionBreakpointFilters: [
    { filter: "uncaught", label: "Uncaught Exceptions", default: true },
    { filter: "all", label: "All Exceptions", default: false },
  ],
} as const;
