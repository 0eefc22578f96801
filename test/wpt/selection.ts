// The web-platform-tests that run: the folders whose APIs a smart function has, without the files that need features it
// can never have (its own server, timers of real time, another global).

export const FOLDERS = [
  "FileAPI/blob",
  "FileAPI/file",
  "FileAPI/reading-data-section",
  "WebCryptoAPI/digest",
  "compression",
  "console",
  "dom/abort",
  "dom/events",
  "encoding",
  "fetch/api/headers",
  "fetch/api/request",
  "fetch/api/response",
  "hr-time",
  "performance-timeline",
  "streams",
  "url",
  "urlpattern",
  "user-timing",
  "xhr/formdata",
] as const;

/** Folders from which tests load scripts and data. */
export const SUPPORT = ["resources", "common", "interfaces", "fetch/api/resources"] as const;

interface Exclusion {
  readonly match: RegExp;
  readonly reason: string;
}

const EXCLUSIONS: readonly Exclusion[] = [
  { match: /idlharness/, reason: "checks the interface definitions of whole specifications" },
  {
    match: /\/(transferable|crashtests|tentative|legacy-mb-[a-z]+)\//,
    reason: "needs frames or workers, or is not standard yet",
  },
  { match: /^(?!compression\/).*\.tentative\./, reason: "not standard yet" },
  {
    match: /\.(https?\.)?(window|worker|serviceworker|sharedworker)\.js$/,
    reason: "needs a window or a worker of its own",
  },
  { match: /request-bad-port|request-cache-|cross-origin/, reason: "needs a network and an HTTP cache" },
  { match: /encoding\/(replacement-encodings|unsupported-encodings)/, reason: "needs XMLHttpRequest" },
  { match: /po-entries-sort|webtiming-resolution/, reason: "waits for a clock that moves within a call" },
  {
    match: /performance-timeline\/(droppedentriescount|case-sensitivity)/,
    reason: "needs entries of loaded resources",
  },
  { match: /sharedarraybuffer|shared-array-buffer/i, reason: "shared memory is not available" },
];

/** @returns why the file is excluded, or undefined when it runs */
export const exclusion = (path: string): string | undefined =>
  EXCLUSIONS.find(({ match }) => match.test(path))?.reason;
