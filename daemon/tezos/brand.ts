// Types that differ by their meaning only: two texts, or two numbers, that must not stand for each other. A branded
// value is made by the function that has checked it, in the file that declares its type, and nowhere else.

declare const brand: unique symbol;

/** A value that is known to be what its name says. It can be used as what it is made of, not the other way round. */
export type Branded<T, Name extends string> = T & { readonly [brand]: Name };
