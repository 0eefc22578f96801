// Fastify's router writes a function as text for each piece and each handler of a route, some 500 at a start, and V8 compiles
// every one. In the bundles closures do the same.
import { readFileSync } from "node:fs";

const FILES = [
  {
    filter: /[\\/]find-my-way[\\/]lib[\\/]node\.js$/,
    // The first character has been compared: it leads to the node.
    part: /^ {2}const lines = \[\]\n(?:.*\n){1,5}? {2}return new Function\('path', 'i', .*$/m,
    by: "  return (path, i) => path.startsWith(prefix, i)",
  },
  {
    filter: /[\\/]find-my-way[\\/]lib[\\/]handler-storage\.js$/,
    // Four values come as arguments, further ones in a list.
    part: /^ {4}const fnBody = \[.*\n(?:.*\n){1,20}? {4}return new Function\('NullObject', .*$/m,
    by: `    return (first, second, third, fourth, further) => {
      const found = new NullObject()
      if (params.length > 0) {
        const values = [first, second, third, fourth]
        params.forEach((name, i) => (found[name] = i < 4 ? values[i] : further[i - 4]))
      }
      return found
    }`,
  },
];

/** A plugin of esbuild. */
export const routerWithoutText = {
  name: "router-without-text",
  setup({ onLoad }) {
    for (const { filter, part, by } of FILES)
      onLoad({ filter }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!part.test(text)) throw new Error(`${path} has no function as text of this form`);
        return { contents: text.replace(part, () => by), loader: "js" };
      });
  },
};
