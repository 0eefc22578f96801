// The functions that a replay meets, of the program and of the runtime, and the places of the program's: the tables of
// the recording. A function is the same in all instances that run its code.
import type { FunctionFacts, HeapReader } from "./heap-reader.ts";
import { BYTECODE, OBJECT } from "./layout.ts";
import type { Place, RecordedFunction } from "./recording.ts";

/** The function of a module's top level. */
export const TOP_LEVEL = "<eval>";
/** Functions of a module that are looked through. */
const MAX_FUNCTIONS = 100_000;
/** Names in the runtime's own code (`prelude/main.ts`). */
const RUNTIME_FILE = "functez:prelude";
const FAILURE = "fail";

/** Finds the original of a place in deployed code. */
export type Original = (
  file: string,
  line: number,
  column: number,
) => { readonly source: string; readonly line: number; readonly column: number } | undefined;

/** Whether a statement begins at a place in the middle of a line. */
export type IsStatement = (place: Pick<Place, "source" | "line" | "column">) => boolean;

/** A function as the recorder needs it at each bytecode. */
export interface KnownFunction {
  readonly facts: FunctionFacts;
  readonly isUser: boolean;
  /** The runtime's function that ends a failed call. */
  readonly isFailure: boolean;
  /** Index in `functions`; -1 for the runtime's own. */
  readonly index: number;
  /** For each bytecode 1 + the index of the row that begins there, or 0. */
  readonly rowAt: Uint32Array;
  /** For each row the number of its line, and whether it is the lowest of it, or of a statement on it. */
  readonly lineOf: Uint32Array;
  readonly isLowest: Uint8Array;
}

/** What all instances share of a function of the program. */
type RegisteredFunction = Pick<KnownFunction, "index" | "lineOf" | "isLowest">;

/** An instance, with the functions met in it so far. */
interface Instance {
  readonly heap: HeapReader;
  /** By the address of their bytecode. */
  readonly known: Map<number, KnownFunction>;
}

export class FunctionTable {
  readonly #original: Original;
  readonly #isStatement: IsStatement;

  readonly functions: RecordedFunction[] = [];
  readonly places: Place[] = [{ fn: -1, source: "", line: 0, column: 0 }];
  readonly #functionIndex = new Map<string, RegisteredFunction>();
  readonly #lines = new Map<string, number>();

  constructor(original: Original, isStatement: IsStatement = () => false) {
    this.#original = original;
    this.#isStatement = isStatement;
  }

  /** @param callee address of a function object in the instance */
  functionOf({ heap, known }: Instance, callee: number): KnownFunction {
    const address = heap.word(callee + OBJECT.bytecode);
    const before = known.get(address);
    // Memory of functions that are gone is used again.
    if (
      before !== undefined &&
      before.facts.code === heap.word(address + BYTECODE.code) &&
      before.facts.positionsAt === heap.word(address + BYTECODE.positions)
    )
      return before;
    const facts = heap.functionAt(address);
    // Functions that the compiler adds, to set up classes, have no line: they count for their callers.
    const isUser = facts.file.startsWith("jstz:") && facts.line > 0;
    const isFailure = facts.file === RUNTIME_FILE && facts.name === FAILURE;
    const made = isUser ? this.#userFunction(facts) : { ...NO_ROWS, isFailure, facts };
    known.set(address, made);
    if (isUser && facts.name === TOP_LEVEL) this.#registerInner(heap, address);
    return made;
  }

  /** The functions of a module: those that never run have places too. */
  #registerInner(heap: HeapReader, module: number): void {
    const waiting = [module];
    for (let at = waiting.pop(), i = 0; at !== undefined && i < MAX_FUNCTIONS; at = waiting.pop(), i++)
      for (const inner of heap.innerFunctions(at)) {
        waiting.push(inner);
        const facts = heap.functionAt(inner);
        const key = keyOf(facts);
        if (facts.file.startsWith("jstz:") && facts.line > 0 && !this.#functionIndex.has(key))
          this.#functionIndex.set(key, this.#register(facts));
      }
  }

  #userFunction(facts: FunctionFacts): KnownFunction {
    const key = keyOf(facts);
    let shared = this.#functionIndex.get(key);
    if (shared === undefined) this.#functionIndex.set(key, (shared = this.#register(facts)));
    const rowAt = new Uint32Array(facts.length);
    facts.positions.forEach(({ pc }, row) => {
      if (pc < facts.length) rowAt[pc] ||= row + 1;
    });
    return { facts, isUser: true, isFailure: false, rowAt, ...shared };
  }

  /** Puts a function and its places into the tables of the recording. */
  #register(facts: FunctionFacts): RegisteredFunction {
    const { file, positions, name } = facts;
    const index = this.functions.length;
    const placeOf = (line: number, column: number): Omit<Place, "fn"> =>
      this.#original(file, line, column) ?? { source: file, line, column };
    const own = placeOf(facts.line, facts.column);
    const firstPlace = this.places.length;
    const lineOf = new Uint32Array(positions.length);
    const isLowest = new Uint8Array(positions.length);
    /** By the number of their line, the columns where a statement begins. */
    const seen = new Map<number, Set<number>>();
    positions.forEach(({ line, column }, row) => {
      const place = placeOf(line, column);
      const number = this.#lineNumber(`${place.source}:${place.line}`);
      const columns = seen.get(number);
      const isFirst = columns === undefined;
      const isStatement = !isFirst && !columns.has(place.column) && this.#isStatement(place);
      this.places.push({ fn: index, ...place, ...(isStatement ? { isStatement } : {}) });
      lineOf[row] = number;
      if (isFirst) seen.set(number, new Set([place.column]));
      else if (isStatement) columns.add(place.column);
      if (isFirst || isStatement) isLowest[row] = 1;
    });
    // Without a table the function itself is all that is known.
    if (positions.length === 0) this.places.push({ fn: index, ...own });
    const placeCount = this.places.length - firstPlace;
    this.functions.push({ name, ...own, firstPlace, placeCount, hasRows: positions.length > 0 });
    return { index, lineOf, isLowest };
  }

  #lineNumber(line: string): number {
    let number = this.#lines.get(line);
    if (number === undefined) this.#lines.set(line, (number = this.#lines.size));
    return number;
  }
}

/** Tells functions apart, in all instances. */
const keyOf = ({ file, line, column, length, name }: FunctionFacts): string =>
  `${file}:${line}:${column}:${length}:${name}`;

const NO_ROWS = {
  isUser: false,
  index: -1,
  rowAt: new Uint32Array(0),
  lineOf: new Uint32Array(0),
  isLowest: new Uint8Array(0),
};
