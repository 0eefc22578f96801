// The pieces of dates and times as `en` writes them, in UTC.

import type { Options, Part } from "./intl.ts";

const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const STYLES: Record<string, Options> = {
  full: { weekday: "long", month: "long", day: "numeric", year: "numeric" },
  long: { month: "long", day: "numeric", year: "numeric" },
  medium: { month: "short", day: "numeric", year: "numeric" },
  short: { month: "numeric", day: "numeric", year: "2-digit" },
};
const FIELDS = ["weekday", "year", "month", "day", "hour", "minute", "second"];

const two = (number: number): string => `${number}`.padStart(2, "0");

/** @throws RangeError */
export function dateParts(value: unknown, given: Options): Part[] {
  const date = value === undefined ? new Date() : new Date(value as number);
  if (Number.isNaN(date.getTime())) throw new RangeError("Invalid time value");
  let options = given;
  if (given["dateStyle"] !== undefined || given["timeStyle"] !== undefined) {
    const time = given["timeStyle"];
    options = {
      ...(given["dateStyle"] === undefined ? {} : STYLES[given["dateStyle"] as string]),
      ...(time === undefined ? {} : { hour: "numeric", minute: "2-digit" }),
      ...(time === undefined || time === "short" ? {} : { second: "2-digit" }),
      ...(time === "full" || time === "long" ? { timeZoneName: "short" } : {}),
      hour12: given["hour12"],
    };
  }
  if (FIELDS.every((key) => options[key] === undefined))
    options = { ...options, year: "numeric", month: "numeric", day: "numeric" };
  const separator = given["dateStyle"] === "full" || given["dateStyle"] === "long" ? " at " : ", ";
  return joined([dayParts(date, options), timeParts(date, options)], separator);
}

/** The non-empty lists as one, with a literal between each two. */
function joined(lists: readonly (readonly Part[])[], separator: string): Part[] {
  const all: Part[] = [];
  for (const list of lists) {
    if (list.length === 0) continue;
    if (all.length > 0) all.push({ type: "literal", value: separator });
    all.push(...list);
  }
  return all;
}

const part = (type: string, value: string): Part[] => [{ type, value }];

function dayParts(date: Date, { weekday, year, month, day }: Options): Part[] {
  const dayOf = day === undefined ? [] : part("day", numberOf(date.getUTCDate(), day));
  const full = date.getUTCFullYear();
  const yearOf = year === undefined ? [] : part("year", year === "2-digit" ? two(full % 100) : `${full}`);
  const weekdayName = DAYS[date.getUTCDay()] as string;
  const weekdayOf =
    weekday === undefined ? [] : part("weekday", weekday === "long" ? weekdayName : weekdayName.slice(0, 3));
  let rest: Part[];
  if (month === "long" || month === "short") {
    const name = MONTHS[date.getUTCMonth()] as string;
    const monthOf = part("month", month === "long" ? name : name.slice(0, 3));
    rest = joined([joined([monthOf, dayOf], " "), yearOf], dayOf.length === 0 ? " " : ", ");
  } else {
    const monthOf = month === undefined ? [] : part("month", numberOf(date.getUTCMonth() + 1, month));
    rest = joined([monthOf, dayOf, yearOf], "/");
  }
  return joined([weekdayOf, rest], ", ");
}

const numberOf = (number: number, form: unknown): string => (form === "2-digit" ? two(number) : `${number}`);

function timeParts(date: Date, options: Options): Part[] {
  const { hour, minute, second } = options;
  if (hour === undefined && minute === undefined && second === undefined) return [];
  const twelve = options["hour12"] !== false && options["hourCycle"] !== "h23";
  const hours = twelve ? date.getUTCHours() % 12 || 12 : date.getUTCHours();
  const clock = joined(
    [
      hour === undefined ? [] : part("hour", hour === "2-digit" || !twelve ? two(hours) : `${hours}`),
      minute === undefined ? [] : part("minute", two(date.getUTCMinutes())),
      second === undefined ? [] : part("second", two(date.getUTCSeconds())),
    ],
    ":",
  );
  const half = hour !== undefined && twelve ? part("dayPeriod", date.getUTCHours() < 12 ? "AM" : "PM") : [];
  const zone = options["timeZoneName"] === undefined ? [] : part("timeZoneName", "UTC");
  return joined([clock, half, zone], " ");
}
