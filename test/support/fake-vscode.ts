// The part of the editor's API that units of the extension use, for tests in plain Node.
export class EventEmitter<T> {
  readonly #listeners = new Set<(value: T) => void>();
  event = (listener: (value: T) => void) => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };
  fire(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}
export class ThemeIcon {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}
export class MarkdownString {
  value: string;
  constructor(value = "") {
    this.value = value;
  }
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
  /** Like the editor: escapes Markdown syntax. */
  appendText(text: string): this {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~]/g, "\\$&");
    return this;
  }
}
export class LanguageModelTextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}
export class LanguageModelToolResult {
  readonly content: readonly unknown[];
  constructor(content: readonly unknown[]) {
    this.content = content;
  }
}
export class TreeItem {
  readonly label: string;
  readonly collapsibleState: number;
  constructor(label: string, collapsibleState: number) {
    this.label = label;
    this.collapsibleState = collapsibleState;
  }
}
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export class Uri {
  readonly scheme: string;
  readonly path: string;
  constructor(scheme: string, path: string) {
    this.scheme = scheme;
    this.path = path;
  }
  static file(path: string): Uri {
    return new Uri("file", path);
  }
  get fsPath(): string {
    return this.path;
  }
  static from({ scheme, path }: { scheme: string; path: string }): Uri {
    return new Uri(scheme, path);
  }
  toString(): string {
    return `${this.scheme}:${this.path}`;
  }
}
export class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}
export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...places: [Position, Position] | [number, number, number, number]) {
    const [start, end] =
      places.length === 2 ? places : [new Position(places[0], places[1]), new Position(places[2], places[3])];
    this.start = start;
    this.end = end;
  }
}
export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };
export class Diagnostic {
  source: string | undefined;
  code: unknown;
  readonly range: Range;
  readonly message: string;
  readonly severity: number;
  constructor(range: Range, message: string, severity: number) {
    this.range = range;
    this.message = message;
    this.severity = severity;
  }
}
export const CodeActionKind = { QuickFix: "quickfix" };
export class CodeAction {
  readonly title: string;
  readonly kind: unknown;
  constructor(title: string, kind: unknown) {
    this.title = title;
    this.kind = kind;
  }
}
export class WorkspaceEdit {
  readonly replaced: { uri: Uri; range: Range; text: string }[] = [];
  replace(uri: Uri, range: Range, text: string): void {
    this.replaced.push({ uri, range, text });
  }
}
export const l10n = {
  t: (text: string, ...values: unknown[]) =>
    text.replace(/\{(\d)\}/g, (_whole, index: string) => String(values[Number(index)])),
};
export const workspace = {
  isTrusted: true,
  getConfiguration: () => ({ get: <T>(_key: string, fallback: T) => fallback }),
  onDidChangeConfiguration: () => ({ dispose: () => undefined }),
  workspaceFolders: undefined,
};
export const commands = { executeCommand: () => Promise.resolve() };
export const window = {};
/** The problems that are shown, by path. */
export const shownDiagnostics = new Map<string, readonly Diagnostic[]>();
export const languages = {
  createDiagnosticCollection: () => ({
    set: (uri: Uri, diagnostics: readonly Diagnostic[]) => void shownDiagnostics.set(uri.path, diagnostics),
    delete: (uri: Uri) => void shownDiagnostics.delete(uri.path),
    dispose: () => shownDiagnostics.clear(),
  }),
};
