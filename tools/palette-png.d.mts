/** The same picture with a palette. @throws Error for files that are no plain PNG */
export function withPalette(png: Buffer): Buffer;
