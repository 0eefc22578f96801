/** Files that ship in the VSIX, by path. */
export function stagedFiles(root: string): string[];
