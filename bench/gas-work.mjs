// Defines the work for bench/gas-prices.mjs: bodies of loops, each with a set-up that runs once before it.

export const work = (name, before, body) => ({ name, before, body });
export const attempt = (code) => `try { ${code} } catch { }`;

/** Sizes of small, large and very large arguments. */
const SIZES = [10, 1_000, 50_000];

/** A body for each size; `N` stands for it. */
export const ofSizes = (name, before, body, sizes = SIZES) =>
  sizes.map((size) => {
    const fill = (code) => code.replace(/\bN\b(?!\})/g, size);
    return work(`${name} ${size}`, fill(before), fill(body));
  });

/** Work that each call can do only once: its cost also lies before and after the body. */
export const once = (name, body) => ({ ...work(name, "", body), once: true });

/** Work of one kind; the docs show the most expensive of it. */
export const inGroup = (group, items) => items.map((item) => ({ ...item, group }));
