// A library in WebAssembly that is loaded when somebody needs it, and then stays.

export class LazyLibrary<T> {
  readonly #instantiate: () => Promise<T>;
  #loaded: T | undefined;
  #loading: Promise<void> | undefined;
  #wasWanted = false;

  /** @param instantiate imports the library and makes it ready */
  constructor(instantiate: () => Promise<T>) {
    this.#instantiate = instantiate;
  }

  /** The library, once it is loaded. */
  get loaded(): T | undefined {
    return this.#loaded;
  }

  /**
   * Loads the library; resolves at once when it is loaded. What failed, for want of memory for instance, is tried again by
   * the next call.
   * @throws WebAssembly.CompileError, out of memory
   */
  load(): Promise<void> {
    this.#loading ??= this.#instantiate().then(
      (library) => void (this.#loaded = library),
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** Begins to load the library, if nobody has: for work that something slower does until then, or for ever. */
  want(): void {
    if (this.#wasWanted || this.#loading) return;
    this.#wasWanted = true;
    this.load().catch(() => {}); // where WebAssembly is off, the slow one goes on
  }
}
