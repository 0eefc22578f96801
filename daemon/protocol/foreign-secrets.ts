// Private keys and tokens of other programs, recognised by their form, in what is about to be published: a project may have
// a copy of them under any name, and a language model may have read them anywhere.

/** Line ends, also as a string of code writes them. */
const GAP = String.raw`(?:\s|\\[nr]|["'\x60+,]){0,40}`;
/** Up to the end of its line, so that there is one way only to read it. */
const HEADER = String.raw`(?:Proc-Type|DEK-Info|Comment|Version|Hash):[^\n\\]{0,100}(?=[\n\\])`;
/** With a long word of base64 behind the heading: code that only looks for such keys has none. */
const KEY_BLOCK = new RegExp(`PRIVATE KEY(?: BLOCK)?-----${GAP}(?:${HEADER}${GAP}){0,3}[A-Za-z0-9+/]{40}`);

const TOKENS: readonly (readonly [what: string, form: RegExp])[] = [
  ["a token of a package registry", /:_authToken\s{0,9}=\s{0,9}["']?[\w-]{20}|\bnpm_[A-Za-z0-9]{36}\b/],
  ["a token of GitHub", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60})/],
];

/** Parts of the heading in base64, and the characters between the nearest whole four of it and the part. */
const IN_BASE64 = [0, 1, 2].map((before) => {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from("PRIVATE KEY-----")]);
  const skipped = before === 0 ? 0 : before + 1;
  const end = Math.floor((bytes.length * 8) / 6);
  return { part: bytes.toString("base64").slice(skipped, end), skipped };
});
/** Characters of base64 that are read back from there: the headers of a key, and enough of it. */
const READ_BACK = 1_000;

/** What a text has of that; undefined when it has nothing. */
export function foreignSecretIn(text: string): string | undefined {
  if (KEY_BLOCK.test(text) || hasKeyInBase64(text)) return "a private key";
  return TOKENS.find(([, form]) => form.test(text))?.[0];
}

/** A bundler writes a file that is imported as bytes in base64. */
function hasKeyInBase64(text: string): boolean {
  return IN_BASE64.some(({ part, skipped }) => {
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
      const start = at - skipped;
      const bytes = Buffer.from(text.slice(Math.max(0, start), start + READ_BACK), "base64");
      if (KEY_BLOCK.test(bytes.toString("latin1"))) return true;
    }
    return false;
  });
}
