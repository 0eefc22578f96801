// Formats values for people.

/** Formats mutez, as decimal text, in tez. */
export function tezOf(mutez: string): string {
  const digits = mutez.replace(/^-/, "").padStart(7, "0");
  const whole = digits.slice(0, -6).replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = digits.slice(-6).replace(/0+$/, "");
  return `${mutez.startsWith("-") ? "−" : ""}${whole}${rest && `.${rest}`}`;
}

/** Parses a typed amount of tez to mutez; undefined when invalid. */
export function mutezOf(tez: string): string | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(tez.trim());
  return match ? `${match[1]}${(match[2] ?? "").padEnd(6, "0")}`.replace(/^0+(?=\d)/, "") : undefined;
}

export const shortHash = (text: string): string =>
  text.length > 16 ? `${text.slice(0, 7)}…${text.slice(-5)}` : text;

const NUMBERS = new Intl.NumberFormat("en");
export const numberText = (value: number): string => NUMBERS.format(value);

/** Formats a number of bytes. */
export const sizeText = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0)} KiB`;

export const durationText = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;

/** Time of day in the user's time zone. */
export function clockText(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : time.toLocaleTimeString("en-GB");
}

/** Indents JSON; returns other text unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export const plural = (count: number, one: string): string =>
  `${numberText(count)} ${one}${count === 1 ? "" : "s"}`;
