// The tutorial as a program: its code, its commands, and their output.

/** Contents of the code blocks of a language, in order. */
export function codeBlocks(markdown: string, language: string): string[] {
  return [...markdown.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => text!);
}

/** Commands behind `$`, each with the lines below it. */
export function commandsOf(markdown: string): { readonly command: string; readonly output: string }[] {
  return codeBlocks(markdown, "console").flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command = "", ...lines] = text.split("\n");
        return { command, output: lines.join("\n").trimEnd() };
      }),
  );
}

/** Output as in a document, where `…` matches anything. */
export function matching(output: string): RegExp {
  const parts = output.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}[^]*$`);
}
