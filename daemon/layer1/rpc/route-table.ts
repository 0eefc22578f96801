// Maps paths to answers behind one wildcard route of the HTTP server: registering the hundred RPCs there one by one
// would take longer than the rest of this node's start.

interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  /** Child for any segment, and the parameter names that routes give it. */
  variable: Node<T> | undefined;
  readonly leaves: Map<string, { readonly names: readonly string[]; readonly value: T }>;
}

const newNode = <T>(): Node<T> => ({ fixed: new Map(), variable: undefined, leaves: new Map() });

export interface Match<T> {
  readonly value: T;
  readonly params: Readonly<Record<string, string>>;
}

export class RouteTable<T> {
  readonly #root = newNode<T>();

  /** @param pattern such as `/chains/:chain/blocks`; a segment starting with `:` matches any one segment */
  add(method: string, pattern: string, value: T): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of pattern.split("/").slice(1)) {
      if (segment.startsWith(":")) {
        names.push(segment.slice(1));
        node = node.variable ??= newNode();
      } else {
        let next = node.fixed.get(segment);
        if (!next) node.fixed.set(segment, (next = newNode()));
        node = next;
      }
    }
    node.leaves.set(method, { names, value });
  }

  /** Fixed segments win over variable ones. */
  find(method: string, path: string): Match<T> | undefined {
    const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    return this.#walk(this.#root, method, trimmed.split("/"), 1, []);
  }

  #walk(
    node: Node<T>,
    method: string,
    segments: readonly string[],
    at: number,
    values: readonly string[],
  ): Match<T> | undefined {
    if (at === segments.length) {
      const leaf = node.leaves.get(method);
      if (!leaf) return undefined;
      return {
        value: leaf.value,
        params: Object.fromEntries(leaf.names.map((name, i) => [name, values[i]!])),
      };
    }
    const segment = segments[at]!;
    const fixed = node.fixed.get(segment);
    const found = fixed && this.#walk(fixed, method, segments, at + 1, values);
    if (found || !node.variable || segment === "") return found;
    return this.#walk(node.variable, method, segments, at + 1, [...values, segment]);
  }
}
