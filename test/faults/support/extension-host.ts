// An extension host without an editor, for tests that kill it: a Node process that loads the built extension like the
// editor, with a fake editor API. The parent sends `{ id, command, args }` over IPC and gets `{ id }` or `{ id, failure
// }` back; each state of the sandbox is reported as `{ state }`.
//
// Environment: FUNCTEZ_HOST_SETTINGS (JSON, full keys), FUNCTEZ_HOST_STORAGE (folder), FUNCTEZ_DIST (built extension).
import { readFileSync } from "node:fs";
import Module from "node:module";
import { join } from "node:path";
import * as fake from "../../support/fake-vscode.ts";

interface Request {
  readonly id: number;
  readonly command: string;
  readonly args: readonly unknown[];
}

const settings = JSON.parse(process.env["FUNCTEZ_HOST_SETTINGS"] ?? "{}") as Record<string, unknown>;
const dist = process.env["FUNCTEZ_DIST"]!;
const commands = new Map<string, (...args: unknown[]) => unknown>();

/** Stands for everything irrelevant to the test: can be read, written, called, constructed, disposed of. */
const anything: object = new Proxy(function () {}, {
  get: (_target, key) => (key === "then" ? undefined : key === Symbol.toPrimitive ? () => "" : anything),
  set: () => true,
  apply: () => anything,
  construct: () => anything,
});
/** A bundle copies the properties of an imported module and keeps its prototype, which supplies the rest. */
const withRest = <T extends object>(known: T): T =>
  Object.create(anything, Object.getOwnPropertyDescriptors(known)) as T;

/** A saved document, read from disk. */
function documentOf(uri: fake.Uri) {
  return { uri, isDirty: false, getText: () => readFileSync(uri.fsPath, "utf8"), positionAt: () => anything };
}

const editor = withRest({
  ...fake,
  languages: anything,
  window: withRest({
    // Messages are never answered or cancelled.
    showInformationMessage: () => Promise.resolve(undefined),
    showWarningMessage: () => Promise.resolve(undefined),
    showErrorMessage: () => Promise.resolve(undefined),
    withProgress: (_options: unknown, work: (progress: unknown, token: unknown) => unknown) =>
      work({ report: () => undefined }, { onCancellationRequested: () => undefined }),
  }),
  commands: withRest({
    registerCommand: (id: string, run: (...args: unknown[]) => unknown) => {
      commands.set(id, run);
      return { dispose: () => commands.delete(id) };
    },
    executeCommand: (id: string, ...args: unknown[]) => Promise.resolve(commands.get(id)?.(...args)),
  }),
  workspace: withRest({
    getConfiguration: (section: string) => ({
      get: <T>(key: string, fallback: T) => (settings[`${section}.${key}`] as T | undefined) ?? fallback,
    }),
    openTextDocument: (uri: fake.Uri) => Promise.resolve(documentOf(uri)),
    workspaceFolders: undefined,
    textDocuments: [],
  }),
});

const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
const load = loader._load;
loader._load = (request, ...rest) => (request === "vscode" ? editor : load(request, ...rest));

const { activate } = Module.createRequire(join(dist, "extension.cjs"))("./extension.cjs") as {
  activate(context: unknown): { session: { state: object; onChange(listener: () => void): unknown } };
};
const { session } = activate(
  withRest({
    subscriptions: [],
    asAbsolutePath: (path: string) => join(dist, "..", path),
    globalStorageUri: new fake.Uri("file", process.env["FUNCTEZ_HOST_STORAGE"]!),
  }),
);
const tell = (message: object) => process.send?.(message);
tell({ state: session.state });
session.onChange(() => tell({ state: session.state }));

process.on("message", (message) => {
  const { id, command, args } = message as Request;
  // The extension checks `instanceof`, so commands get files as this class.
  const given = args.map((arg) =>
    typeof arg === "string" && arg.startsWith("file:") ? new fake.Uri("file", arg.slice(5)) : arg,
  );
  Promise.resolve(commands.get(command)!(...given)).then(
    (result) => tell({ id, result: result ?? null }),
    (error: Error) => tell({ id, failure: error.message }),
  );
});
