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
  static from({ scheme, path }: { scheme: string; path: string }): Uri {
    return new Uri(scheme, path);
  }
  toString(): string {
    return `${this.scheme}:${this.path}`;
  }
}
export const l10n = {
  t: (text: string, ...values: unknown[]) =>
    text.replace(/\{(\d)\}/g, (_whole, index: string) => String(values[Number(index)])),
};
export const workspace = {
  getConfiguration: () => ({ get: <T>(_key: string, fallback: T) => fallback }),
  onDidChangeConfiguration: () => ({ dispose: () => undefined }),
  workspaceFolders: undefined,
};
export const commands = { executeCommand: () => Promise.resolve() };
export const window = {};
export const languages = {};
