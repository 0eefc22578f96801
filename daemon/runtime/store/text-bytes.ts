// What a text takes of the memory.

/** V8 keeps a text in one byte a character, or in two when any of them needs more. */
export const textBytes = (text: string): number => (/[^\0-\xff]/.test(text) ? 2 * text.length : text.length);
