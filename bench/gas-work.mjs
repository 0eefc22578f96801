// How bench/gas-prices.mjs is told what to measure: bodies of loops, each with what is made once before it.

export const work = (name, before, body) => ({ name, before, body });
export const tried = (code) => `try { ${code} } catch { }`;

/** Sizes of small, large and very large arguments. */
const SIZES = [10, 1_000, 50_000];

/** A body for each size; `N` stands for it. */
export const sized = (name, before, body, sizes = SIZES) =>
  sizes.map((size) => {
    const fill = (code) => code.replace(/\bN\b(?!\})/g, size);
    return work(`${name} ${size}`, fill(before), fill(body));
  });

/** Work of which each call can do one only: what it costs is done before and after the call, too. */
export const once = (name, body) => ({ ...work(name, "", body), once: true });

/** Work of one kind, of which the docs show the dearest. */
export const grouped = (group, items) => items.map((item) => ({ ...item, group }));
