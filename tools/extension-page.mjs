// The page of the extension, as the editor and its gallery show it: the text of extension/README.md with pictures from the
// web, for a page cannot show pictures of its own package.

/** A picture of the repository, alone on its line. */
const PICTURE = /^!\[([^\]\n]*)\]\(\.\.\/media\/([\w-]+\.png)\)\n\n?/gm;

/**
 * @param {string} text with pictures of ../media
 * @param {string | undefined} pictures https address of the folder of the pictures; without one they are left out
 * @returns {string}
 * @throws Error when the address is none, or not https, which the gallery requires
 */
export function extensionPage(text, pictures) {
  if (pictures === undefined) return text.replace(PICTURE, "");
  const base = URL.canParse(pictures) ? new URL(pictures) : undefined;
  if (base?.protocol !== "https:" || base.search !== "" || base.hash !== "")
    throw new Error(
      `--pictures: expected an https address of a folder, such as https://example.com/v1.0.0/media, found "${pictures}"`,
    );
  const folder = base.href.replace(/\/*$/, "");
  return text.replace(PICTURE, (_, title, file) => `![${title}](${folder}/${file})\n\n`);
}
