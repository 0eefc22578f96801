// sandboxd's side of the explorer. A separate bundle, loaded on the first request: it costs nothing while nobody opens the
// page.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { httpRequestText } from "../client/http-json.ts";
import { RECEIPT_HOLD_MS } from "../protocol/constants.ts";
import { SandboxError } from "../protocol/errors.ts";
import type { RuntimeOperationReport, RuntimeOperationRequest } from "../protocol/sandbox-api.ts";
import { isAddress } from "../tezos/address.ts";
import { ReadPlaces } from "./read-places.ts";
import { createRuntimeSigning, type RuntimeSigner } from "./runtime-signing.ts";

export interface ExplorerOptions {
  /** Folder with the files of the page. */
  readonly folder: string;
  readonly endpoints: Readonly<Record<"layer1" | "runtime", () => string>>;
  readonly accounts: readonly RuntimeSigner[];
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** The files of the page with their media types; no other name is served. */
const FILES: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "app.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

/** The page shows untrusted text: it may run only its own files and connect only to its own origin. */
const PAGE_RULES = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const PAGE_HEADERS = {
  "content-security-policy": PAGE_RULES,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
};

/** Answers of parts are data: opened as a page they do nothing. */
const DATA_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** Largest answer in bytes that the page can handle. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Endless streams, none of which the page reads. */
const STREAMS = /^\/monitor\/|\/monitor_operations\b|\/stream\b/;
/** Segments that lead a path elsewhere when it is sent. */
const DOTS = /\/(?:\.|%2e){1,2}(?=[/?\\]|$)/i;
/** Longer than the runtime holds a request for a pending receipt. */
const READ_MS = RECEIPT_HOLD_MS + 5_000;

/** @throws SandboxError of this bundle's own class, which the caller must convert */
export function openExplorer({ folder, endpoints, accounts }: ExplorerOptions) {
  const places = new ReadPlaces();
  const signing = createRuntimeSigning({ accounts, runtimeEndpoint: endpoints.runtime });
  return {
    file(name: string): Answer | undefined {
      if (!Object.hasOwn(FILES, name)) return undefined;
      const headers = { ...PAGE_HEADERS, "content-type": FILES[name]! };
      return { status: 200, headers, body: readFileSync(join(folder, name)) };
    },
    async read(part: "layer1" | "runtime", path: string, signal: AbortSignal): Promise<Answer> {
      if (STREAMS.test(path) || DOTS.test(path))
        throw new SandboxError("NOT_FOUND", { what: `GET ${path.slice(0, 100)}` });
      // Without the owner's secret: the part's guard decides what is public.
      const url = `${endpoints[part]()}${path}`;
      const { status, body } = await places.run(signal, (mine) =>
        httpRequestText(url, {
          what: `${part}_node`,
          signal: mine,
          timeoutMs: READ_MS,
          maxBytes: MAX_ANSWER_BYTES,
        }),
      );
      // The page asks for what it wants; where a part wants to lead it is out of its reach.
      if (status >= 300 && status < 400)
        throw new SandboxError("NOT_FOUND", { what: `GET ${path.slice(0, 100)}` });
      return { status, headers: DATA_HEADERS, body };
    },
    logsOf(address: string): string {
      if (!isAddress(address))
        throw new SandboxError("BAD_REQUEST", {
          at: "the path",
          found: address.slice(0, 100),
          expected: "the address of a smart function",
        });
      return `${endpoints.runtime()}/logs/${address}/stream`;
    },
    run: (request: unknown, checkOwner: () => void): Promise<RuntimeOperationReport> =>
      signing.run(request as RuntimeOperationRequest, checkOwner),
  };
}
