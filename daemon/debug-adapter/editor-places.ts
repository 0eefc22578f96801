// Places as the editor writes them: its names of sources, and lines and columns that it counts from 0 or 1. The sandbox
// counts both from 1.
import { type Fields, isObject } from "../tezos/json-fields.ts";
import type { AdapterHost } from "./adapter-host.ts";
import { sourceIn } from "./request-fields.ts";
import { type Source, SourceNames } from "./source-names.ts";

export class EditorPlaces {
  readonly #sources: SourceNames;
  #base = { line: 1, column: 1 };

  constructor(host: Pick<AdapterHost, "fileExists" | "nameOf">) {
    this.#sources = new SourceNames(host);
  }

  /** @param args of the `initialize` request */
  initialize(args: Fields): void {
    this.#base = {
      line: args["linesStartAt1"] === false ? 0 : 1,
      column: args["columnsStartAt1"] === false ? 0 : 1,
    };
  }

  shownSource(source: string): Source {
    return this.#sources.of(source);
  }

  shownLine(line: number): number {
    return line - 1 + this.#base.line;
  }

  shownColumn(column: number): number {
    return column - 1 + this.#base.column;
  }

  /** The source that the arguments of a request name. @throws MalformedJson */
  ownSource(args: Fields): string {
    return this.#sources.meant(sourceIn(args));
  }

  /** As `ownSource`, for a request whose arguments may also be the source itself. */
  ownSourceOrReference(args: Fields): string {
    return this.#sources.meant(isObject(args["source"]) ? args["source"] : args);
  }

  ownLine(line: number): number {
    return line + 1 - this.#base.line;
  }

  ownColumn(column: number): number {
    return column + 1 - this.#base.column;
  }
}
