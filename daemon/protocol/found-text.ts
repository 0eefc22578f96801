// What was found in a request, as an error tells it: anybody may have sent it, of any length and depth.

/** Characters of it that an error shows. */
const MAX_SHOWN = 1_000;

/** JSON of a value, cut where it is long; of one that is nested deeper than the stack, that it is. */
export function foundText(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return "a value that is nested too deeply";
  }
  if (text === undefined) return "nothing";
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
