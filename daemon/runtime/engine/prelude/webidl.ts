// Conversions and shapes that Web IDL requires of every class: enumerable members, toStringTag, strings without lone
// surrogates, byte strings.

/** DOMString */
export const domString = (value: unknown): string => `${value as string}`;

/** USVString: lone surrogates become U+FFFD. */
export const usvString = (value: unknown): string =>
  (`${value as string}` as string & { toWellFormed(): string }).toWellFormed();

const NO_BYTE = /[^\0-\xff]/;

/** ByteString: only code units up to 0xFF. */
export function byteString(value: unknown, what: string): string {
  const text = `${value as string}`;
  if (NO_BYTE.test(text)) throw new TypeError(`${what} has a character above U+00FF`);
  return text;
}

/** Throws as the platform does when arguments are missing. */
export function required(args: { readonly length: number }, count: number, what: string): void {
  if (args.length < count) {
    throw new TypeError(
      `${what} requires at least ${count} argument${count === 1 ? "" : "s"}, but only ${args.length} present`,
    );
  }
}

/** unsigned short and friends with [EnforceRange] or wrap-around. */
export function unsignedShort(value: unknown): number {
  const number = Number(value);
  return Number.isFinite(number) ? ((Math.trunc(number) % 65536) + 65536) % 65536 : 0;
}

/** unsigned long long with [EnforceRange]: a whole number that a double holds exactly. */
export function unsignedLongLong(value: unknown, what: string): number {
  const number = Math.trunc(Number(value));
  if (!(number >= 0 && number <= Number.MAX_SAFE_INTEGER))
    throw new TypeError(`${what}: ${domString(value)} is out of range`);
  return number + 0;
}

type Dictionary = Record<string, unknown>;

/** A dictionary argument: undefined and null are empty, primitives are rejected. */
export function dictionary(value: unknown, what: string): Dictionary {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" && typeof value !== "function")
    throw new TypeError(`${what} is not an object`);
  return value as Dictionary;
}

/** A member of an enumeration, or undefined when the dictionary lacks it. */
export function enumeration<T extends string>(value: unknown, known: readonly T[], what: string): T {
  const text = `${value as string}`;
  if (!(known as readonly string[]).includes(text))
    throw new TypeError(`${what}: "${text}" is not a valid value`);
  return text as T;
}

type Interface = abstract new (...args: never[]) => unknown;

/** Makes members enumerable and names the prototype, as for platform interfaces. */
export function defineInterface(constructor: Interface, given?: string): void {
  // The bundler prefixes names of self-referencing classes with an underscore.
  const name = given ?? constructor.name.replace(/^_/, "");
  Object.defineProperty(constructor, "name", { value: name, configurable: true });
  const prototype = constructor.prototype as object;
  for (const target of [prototype, constructor as unknown as object]) {
    for (const key of Object.getOwnPropertyNames(target)) {
      if (key === "constructor" || (target !== prototype && ["length", "name", "prototype"].includes(key)))
        continue;
      const property = Object.getOwnPropertyDescriptor(target, key);
      if (property?.configurable) Object.defineProperty(target, key, { ...property, enumerable: true });
    }
  }
  Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
}

/** Defines values on the global object as the platform does: writable, configurable, not enumerable. */
export function expose(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
}

/**
 * Iterator objects of an interface: one prototype per interface; entries are read by index, so that changes during
 * iteration show.
 */
export function pairIterator<Owner extends object>(
  name: string,
  entriesOf: (owner: Owner) => readonly (readonly [unknown, unknown])[],
): (owner: Owner, kind: "key" | "value" | "entry") => IterableIterator<unknown> {
  const states = new WeakMap<object, { owner: Owner; kind: string; index: number }>();
  const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as object;
  const prototype = Object.create(iteratorPrototype, {
    next: {
      value: function next(this: object) {
        const state = states.get(this);
        if (state === undefined)
          throw new TypeError(`next() called on an object that is not a ${name} Iterator`);
        const entry = entriesOf(state.owner)[state.index];
        if (entry === undefined) return { value: undefined, done: true };
        state.index += 1;
        const value =
          state.kind === "key" ? entry[0] : state.kind === "value" ? entry[1] : [entry[0], entry[1]];
        return { value, done: false };
      },
      writable: true,
      enumerable: true,
      configurable: true,
    },
    [Symbol.toStringTag]: { value: `${name} Iterator`, configurable: true },
  }) as object;
  return (owner, kind) => {
    const iterator = Object.create(prototype) as IterableIterator<unknown>;
    states.set(iterator, { owner, kind, index: 0 });
    return iterator;
  };
}
