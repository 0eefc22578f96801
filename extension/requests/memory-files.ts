// A file system in memory for the editor: files may hold any bytes, open in the editor's usual viewers, and can be saved
// anywhere.
import * as vscode from "vscode";
import { timeOfDay } from "../../daemon/local/time-of-day.ts";

interface MemoryFile {
  readonly bytes: Uint8Array;
  readonly at: number;
}

export class MemoryFiles implements vscode.FileSystemProvider {
  readonly #files = new Map<string, MemoryFile>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #onWrite: ((path: string, bytes: Uint8Array) => void) | undefined;

  /** @param onWrite called when the user saves a file; without it the files are read-only */
  constructor(onWrite?: (path: string, bytes: Uint8Array) => void) {
    this.#onWrite = onWrite;
  }

  /** Creates or replaces a file. */
  put(uri: vscode.Uri, bytes: Uint8Array): void {
    const type = this.has(uri) ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created;
    this.#files.set(uri.path, { bytes, at: timeOfDay() });
    this.#changed.fire([{ type, uri }]);
  }

  has(uri: vscode.Uri): boolean {
    return this.#files.has(uri.path);
  }

  drop(uri: vscode.Uri): void {
    this.#files.delete(uri.path);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, at } = this.#found(uri);
    return {
      type: vscode.FileType.File,
      ctime: at,
      mtime: at,
      size: bytes.length,
      ...(this.#onWrite ? {} : { permissions: vscode.FilePermission.Readonly }),
    };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#found(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    if (!this.#onWrite) throw vscode.FileSystemError.NoPermissions(uri);
    this.put(uri, bytes);
    this.#onWrite(uri.path, bytes);
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined }; // all changes are reported anyway
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #found(uri: vscode.Uri): MemoryFile {
    const file = this.#files.get(uri.path);
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}
