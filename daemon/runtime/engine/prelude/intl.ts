// A small Intl: numbers and dates as `en` in UTC, which is what smart functions print. Other locales and the other
// constructors fail with a clear error instead of returning wrong texts.

import { collate, type Sensitivity } from "./collation.ts";
import { dateParts } from "./date-parts.ts";
import { notSupported } from "./errors.ts";

/** A piece of a formatted text. */
export interface Part {
  readonly type: string;
  readonly value: string;
}

const textOf = (parts: readonly Part[]): string => {
  let text = "";
  for (const { value } of parts) text += value;
  return text;
};

export type Options = Record<string, unknown>;

const CURRENCIES: Record<string, string> = {
  USD: "$",
  EUR: "€",
  GBP: "£",
  JPY: "¥",
  INR: "₹",
  CNY: "CN¥",
  KRW: "₩",
};
function checkLocale(locales: unknown): void {
  for (const locale of locales === undefined
    ? []
    : Array.isArray(locales)
      ? (locales as unknown[])
      : [locales]) {
    if (typeof locale !== "string") throw new TypeError("A locale must be text");
    if (!/^en(-|$)/i.test(locale)) throw notSupported(`Intl knows only the locale en, not ${locale}`);
  }
}

const group = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ",");

class NumberFormat {
  readonly #options: Options;

  constructor(locales?: unknown, options: unknown = undefined) {
    checkLocale(locales);
    this.#options = { ...((options as Options | undefined) ?? {}) };
  }

  get format(): (value: unknown) => string {
    return (value) => formatNumber(value, this.#options);
  }

  formatToParts(value?: unknown): Part[] {
    return numberParts(formatNumber(value, this.#options), this.#options["style"]);
  }

  resolvedOptions(): Options {
    return { locale: "en-US", numberingSystem: "latn", style: "decimal", ...this.#options };
  }
}

function formatNumber(value: unknown, options: Options): string {
  const style = options["style"] ?? "decimal";
  const currency =
    options["currency"] === undefined ? undefined : `${options["currency"] as string}`.toUpperCase();
  if (style === "currency" && currency === undefined) throw new TypeError("style currency needs a currency");
  if (options["notation"] !== undefined && options["notation"] !== "standard")
    throw notSupported("Intl.NumberFormat notation is not supported");
  const least = style !== "currency" ? 0 : currency === "JPY" || currency === "KRW" ? 0 : 2;
  const min = Number(
    options["minimumFractionDigits"] ?? Math.min(least, Number(options["maximumFractionDigits"] ?? least)),
  );
  const max = Number(options["maximumFractionDigits"] ?? Math.max(min, style === "decimal" ? 3 : least));
  if (!(min >= 0 && max <= 100 && min <= max))
    throw new RangeError("The number of fraction digits is out of range");
  const grouping = options["useGrouping"] !== false;
  const wrap = (text: string, negative: boolean): string => {
    const sign = negative ? "-" : "";
    if (style === "percent") return `${sign}${text}%`;
    if (style === "currency")
      return `${sign}${CURRENCIES[currency as string] ?? `${currency as string} `}${text}`;
    if (style === "unit") return `${sign}${text} ${`${options["unit"] as string}`}`;
    return sign + text;
  };
  if (typeof value === "bigint") {
    const digits = (value < 0n ? -value : value).toString();
    const fraction = min > 0 ? `.${"0".repeat(min)}` : "";
    return wrap((grouping ? group(digits) : digits) + fraction, value < 0n);
  }
  let number = Number(value);
  if (Number.isNaN(number)) return "NaN";
  if (style === "percent") number *= 100;
  if (!Number.isFinite(number)) return wrap("∞", number < 0);
  const fixed = Math.abs(number) < 1e21 ? Math.abs(number).toFixed(max) : BigInt(Math.abs(number)).toString();
  const [whole = "0", fraction = ""] = fixed.split(".");
  let kept = fraction;
  while (kept.length > min && kept.endsWith("0")) kept = kept.slice(0, -1);
  return wrap(
    (grouping ? group(whole) : whole) + (kept === "" ? "" : `.${kept}`),
    number < 0 || Object.is(number, -0),
  );
}

const SIGNS: Record<string, string> = { "-": "minusSign", "%": "percentSign", "∞": "infinity", NaN: "nan" };

/** The pieces of a formatted number. */
function numberParts(text: string, style: unknown): Part[] {
  const parts: Part[] = [];
  let isFraction = false;
  for (const [value] of text.matchAll(/\d+|NaN|[-%∞,.\s]|[^-%∞,.\s\d]+/g)) {
    let type = SIGNS[value];
    if (/^\d/.test(value)) type = isFraction ? "fraction" : "integer";
    else if (value === ",") type = "group";
    else if (value === ".") type = "decimal";
    else if (/^\s/.test(value)) type = "literal";
    if (value === ".") isFraction = true;
    parts.push({ type: type ?? (style === "unit" ? "unit" : "currency"), value });
  }
  return parts;
}

class DateTimeFormat {
  readonly #options: Options;

  constructor(locales?: unknown, options: unknown = undefined) {
    checkLocale(locales);
    this.#options = { ...((options as Options | undefined) ?? {}) };
    const zone = this.#options["timeZone"];
    if (zone !== undefined && !/^(utc|gmt|etc\/(utc|gmt))$/i.test(`${zone as string}`)) {
      throw notSupported(`Intl knows only the time zone UTC, not ${zone as string}`);
    }
  }

  get format(): (value?: unknown) => string {
    return (value) => textOf(dateParts(value, this.#options));
  }

  formatToParts(value?: unknown): Part[] {
    return dateParts(value, this.#options);
  }

  resolvedOptions(): Options {
    return {
      locale: "en-US",
      calendar: "gregory",
      numberingSystem: "latn",
      timeZone: "UTC",
      ...this.#options,
    };
  }
}

const SENSITIVITIES: readonly unknown[] = ["base", "accent", "case", "variant"];

class Collator {
  readonly #options: { readonly sensitivity: Sensitivity; readonly numeric: boolean };

  constructor(locales?: unknown, options: unknown = undefined) {
    checkLocale(locales);
    const given = (options as Options | undefined) ?? {};
    const { sensitivity = "variant", numeric = false, ignorePunctuation, caseFirst, usage } = given;
    if (!SENSITIVITIES.includes(sensitivity))
      throw new RangeError(
        `Value ${String(sensitivity)} out of range for Intl.Collator options property sensitivity`,
      );
    if (ignorePunctuation) throw notSupported("Intl.Collator ignorePunctuation is not supported");
    if (caseFirst !== undefined && caseFirst !== "false")
      throw notSupported("Intl.Collator caseFirst is not supported");
    if (usage !== undefined && usage !== "sort") throw notSupported("Intl.Collator usage is not supported");
    this.#options = { sensitivity: sensitivity as Sensitivity, numeric: Boolean(numeric) };
  }

  get compare(): (one: unknown, other: unknown) => number {
    return (one, other) => collate(String(one), String(other), this.#options);
  }

  resolvedOptions(): Options {
    return {
      ...{ locale: "en-US", usage: "sort", sensitivity: this.#options.sensitivity },
      ...{
        ignorePunctuation: false,
        collation: "default",
        numeric: this.#options.numeric,
        caseFirst: "false",
      },
    };
  }
}

/** Constructors of Intl may be called without `new`. */
const callable = <T extends new (locales?: unknown, options?: unknown) => object>(
  Format: T,
  name: string,
): unknown => {
  const made = {
    [name]: function (locales?: unknown, options?: unknown): object {
      return new Format(locales, options);
    },
  }[name] as object;
  Object.defineProperty(made, "prototype", { value: Format.prototype });
  Object.defineProperty(Format.prototype as object, "constructor", {
    value: made,
    writable: true,
    configurable: true,
  });
  Object.defineProperty(made, "supportedLocalesOf", {
    value: (locales: unknown) => [locales].flat().filter((l) => /^en(-|$)/i.test(`${l as string}`)),
  });
  return made;
};

export const Intl: Record<string, unknown> = {};
for (const [name, value] of Object.entries({
  NumberFormat: callable(NumberFormat, "NumberFormat"),
  DateTimeFormat: callable(DateTimeFormat, "DateTimeFormat"),
  Collator: callable(Collator, "Collator"),
  getCanonicalLocales: (locales: unknown) => (locales === undefined ? [] : [locales].flat()),
}))
  Object.defineProperty(Intl, name, { value, writable: true, configurable: true });
for (const name of [
  "DisplayNames",
  "DurationFormat",
  "ListFormat",
  "Locale",
  "PluralRules",
  "RelativeTimeFormat",
  "Segmenter",
]) {
  Object.defineProperty(Intl, name, {
    value: {
      [name]: function () {
        throw notSupported(`Intl.${name} is not supported`);
      },
    }[name],
    writable: true,
    configurable: true,
  });
}
Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });

/** Languages whose letters change their case by rules of their own. */
const OWN_CASES = /^(tr|az|lt|el)(-|$)/i;

/** The locale methods of numbers, dates and texts use the formats and the order above. */
export function installLocaleMethods(): void {
  const define = (target: object, name: string, value: unknown): unknown =>
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
  const number = function toLocaleString(this: unknown, locales?: unknown, options?: unknown): string {
    return new NumberFormat(locales, options).format(this);
  };
  define(Number.prototype, "toLocaleString", number);
  define(
    BigInt.prototype,
    "toLocaleString",
    function toLocaleString(this: bigint, locales?: unknown, options?: unknown): string {
      return new NumberFormat(locales, options).format(BigInt.prototype.valueOf.call(this));
    },
  );
  const usual = new Collator().compare;
  define(
    String.prototype,
    "localeCompare",
    function localeCompare(this: unknown, other: unknown, locales?: unknown, options?: unknown): number {
      if (this === undefined || this === null)
        throw new TypeError("String.prototype.localeCompare called on null or undefined");
      const compare =
        locales === undefined && options === undefined ? usual : new Collator(locales, options).compare;
      return compare(this, other);
    },
  );
  for (const [name, change] of [
    ["toLocaleUpperCase", Function.prototype.call.bind(String.prototype.toUpperCase)],
    ["toLocaleLowerCase", Function.prototype.call.bind(String.prototype.toLowerCase)],
  ] as const) {
    const method = {
      [name](this: unknown, locales?: unknown): string {
        const [first] = [locales].flat();
        if (typeof first === "string" && OWN_CASES.test(first))
          throw notSupported(`${name} knows only the locale en, not ${first}`);
        return change(this) as string;
      },
    }[name];
    define(String.prototype, name, method);
  }
  const dateMethod = (name: string, defaults: Options): void => {
    define(
      Date.prototype,
      name,
      {
        [name](this: Date, locales?: unknown, options?: Options): string {
          if (Number.isNaN(this.getTime())) return "Invalid Date";
          const named =
            options !== undefined &&
            Object.keys(options).some((key) => key !== "timeZone" && key !== "hour12");
          return new DateTimeFormat(locales, named ? options : { ...defaults, ...options }).format(this);
        },
      }[name],
    );
  };
  const date = { year: "numeric", month: "numeric", day: "numeric" };
  const time = { hour: "numeric", minute: "2-digit", second: "2-digit" };
  dateMethod("toLocaleDateString", date);
  dateMethod("toLocaleTimeString", time);
  dateMethod("toLocaleString", { ...date, ...time });
}
