// Memory used by a text.

/** V8 stores one byte per character, or two when any character needs it. */
export const textBytes = (text: string): number => (/[^\0-\xff]/.test(text) ? 2 * text.length : text.length);
