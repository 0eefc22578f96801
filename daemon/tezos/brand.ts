// Types that differ only in meaning, such as two kinds of text that must not be confused. Only the function that checks a
// value, in the file that declares the type, creates a branded value.

declare const brand: unique symbol;

/** A value checked to be what the name says. It is assignable to its base type, not the other way round. */
export type Branded<T, Name extends string> = T & { readonly [brand]: Name };
