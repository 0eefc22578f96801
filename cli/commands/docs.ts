// `functez docs`: shows where the documents of this version are installed. They need no network.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { CliContext } from "../context.ts";

const DOCUMENTS = ["README.md", "docs"];

export function showDocs(context: CliContext): void {
  const root = resolve(context.distFolder, "..");
  const paths = DOCUMENTS.map((name) => resolve(root, name)).filter((path) => existsSync(path));
  context.terminal.print(paths.join("\n"));
  context.terminal.data({ paths });
}
