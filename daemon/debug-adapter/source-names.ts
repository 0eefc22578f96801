// Sources as editors know them: a path where there is such a file, else a number under which the text can be asked.
import type { AdapterHost } from "./adapter-host.ts";

const SCHEME = "jstz://";

export interface Source {
  readonly name: string;
  readonly path?: string;
  readonly sourceReference?: number;
}

export class SourceNames {
  readonly #host: Pick<AdapterHost, "fileExists" | "nameOf">;
  readonly #numbers = new Map<string, number>();
  readonly #byNumber: string[] = [];

  constructor(host: Pick<AdapterHost, "fileExists" | "nameOf">) {
    this.#host = host;
  }

  of(source: string): Source {
    const isCode = source.startsWith(SCHEME);
    if (!isCode && this.#host.fileExists(source)) return { name: baseName(source), path: source };
    let number = this.#numbers.get(source);
    if (number === undefined) this.#numbers.set(source, (number = this.#byNumber.push(source)));
    const name = isCode ? `${this.#host.nameOf(source.slice(SCHEME.length))}.js` : baseName(source);
    // With the path of a file that is not here editors would try to open it.
    return { name, path: isCode ? `${source}.js` : source, sourceReference: number };
  }

  /** The source that an editor means. */
  meant({ path = "", sourceReference = 0 }: { path?: string; sourceReference?: number }): string {
    const numbered = sourceReference > 0 ? this.#byNumber[sourceReference - 1] : undefined;
    if (numbered !== undefined) return numbered;
    return path.startsWith(SCHEME) ? path.replace(/\.js$/, "") : path;
  }
}

const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
