// Where lines of deployed functions come from: by the maps of the shelf, or by a map inside the code. A map that cannot
// be read counts as none: the deployed code is shown then.
import { gunzipSync } from "node:zlib";
import { inlineMap, type MappedPlace, Mappings, readMap } from "../engine/source-map.ts";
import type { ShelvedSource } from "./debug-messages.ts";
import type { Original } from "./function-table.ts";

/** Limit of an unpacked map. It came in a body of 1 MiB, and packing shrinks maps to a tenth of their size. */
const MAX_MAP_BYTES = 16 * 1024 * 1024;

interface Mapped {
  /** Undefined for code that is its own source. */
  readonly mappings: Mappings | undefined;
  readonly sources: readonly string[];
  readonly texts: readonly (string | null)[];
}

const SCHEME = "jstz://";

export class Originals {
  readonly #shelf: ReadonlyMap<string, ShelvedSource>;
  readonly #codeOf: (address: string) => string | undefined;
  readonly #known = new Map<string, Mapped | undefined>();
  /** Lines of sources, by their names. */
  readonly #lines = new Map<string, readonly string[] | undefined>();

  /** @param codeOf the deployed code of an address */
  constructor(shelf: ReadonlyMap<string, ShelvedSource>, codeOf: (address: string) => string | undefined) {
    this.#shelf = shelf;
    this.#codeOf = codeOf;
  }

  readonly original: Original = (file, line, column) => {
    const mapped = this.#mapped(file.slice(SCHEME.length));
    const [first] = mapped?.sources ?? [];
    if (mapped === undefined || first === undefined) return undefined;
    if (mapped.mappings === undefined) return { source: first, line, column };
    const place = nearest(mapped.mappings, line - 1, column - 1);
    const source = place && mapped.sources[place.source];
    if (source === undefined) return undefined;
    return { source, line: place!.line + 1, column: place!.column + 1 };
  };

  /** Text of a line of a source, if it is known. @param line from 1 */
  text(source: string, line: number): string | undefined {
    let lines = this.#lines.get(source);
    if (!this.#lines.has(source)) this.#lines.set(source, (lines = this.textOf(source)?.split("\n")));
    return lines?.[line - 1];
  }

  /** The whole text of a source, if it is known. */
  textOf(source: string): string | undefined {
    if (source.startsWith(SCHEME)) return this.#codeOf(source.slice(SCHEME.length));
    for (const [address, mapped] of this.#known) {
      const index = mapped?.sources.indexOf(source) ?? -1;
      if (index < 0) continue;
      const text = mapped!.mappings === undefined ? this.#codeOf(address) : mapped!.texts[index];
      if (typeof text === "string") return text;
    }
    return undefined;
  }

  #mapped(address: string): Mapped | undefined {
    if (this.#known.has(address)) return this.#known.get(address);
    const shelved = this.#shelf.get(address);
    const mapped = shelved === undefined ? this.#inline(address) : fromShelf(shelved);
    this.#known.set(address, mapped);
    return mapped;
  }

  #inline(address: string): Mapped | undefined {
    const map = inlineMap(this.#codeOf(address) ?? "", true);
    return map && fromMap(map, map.sources);
  }
}

/** Rows looked at around one without a mapping, such as a comment of the bundler. */
const NEAR = 50;

/** What a place comes from, else the next one below, else the last one above. */
function nearest(mappings: Mappings, row: number, column: number): MappedPlace | undefined {
  let found = mappings.at(row, column) ?? mappings.first(row);
  for (let i = 1; found === undefined && i <= NEAR; i++) found = mappings.first(row + i);
  for (let i = 1; found === undefined && i <= NEAR; i++) found = mappings.last(row - i);
  return found;
}

function fromShelf({ map, sources }: ShelvedSource): Mapped | undefined {
  if (map === undefined) return { mappings: undefined, sources, texts: [] };
  try {
    const text = gunzipSync(Buffer.from(map), { maxOutputLength: MAX_MAP_BYTES }).toString("utf8");
    const read = readMap(text, true);
    return read && fromMap(read, sources);
  } catch {
    return undefined; // it was not packed, or is too large
  }
}

function fromMap(
  { mappings, sourcesContent }: { mappings: string; sourcesContent: readonly unknown[] },
  sources: readonly unknown[],
): Mapped {
  return {
    mappings: new Mappings(mappings),
    sources: sources.map((source) => (typeof source === "string" ? source : "")),
    texts: sourcesContent.map((text) => (typeof text === "string" ? text : null)),
  };
}
