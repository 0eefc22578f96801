import { expect, it } from "vitest";
import { functionName } from "./function-name.ts";

it.each([
  ["", "  load(): State {", 3, "load"],
  ["", "  async *#rows<T>(of: T) {", 3, "#rows"],
  ["", "  static async from(text: string) {", 3, "from"],
  ["", "  private get size() {", 3, "size"],
  ["", "export default async (request) => {", 16, "default"],
  ["", "export default (request) => {", 16, "default"],
  ["", "export default (request) => {", 15, "default"], // where QuickJS says that it begins
  ["", "export default function (request) {", 16, "default"],
  ["", "const label = (n: number) => {", 15, "label"],
  ["", "const label = (n: number) => {", 7, "label"], // the place of the name
  ["", "const sum = list.map((x) => x)", 22, "(anonymous:7)"],
  ["", "export const of: Map<string, number> = async (n) => {", 40, "of"],
  ["", "label = (n) => {", 9, "(anonymous:7)"],
  ["", "list.map(function (x) {", 10, "(anonymous:7)"],
  ["", "list.map((x) => x)", 10, "(anonymous:7)"],
  ["", "", 1, "(anonymous:7)"],
  ["next", "function next() {", 1, "next"],
  ["<eval>", "const a = 1;", 1, "(top level)"],
])("names %j at %j", (name, text, column, expected) => {
  const fn = { name, source: "/a.ts", line: 7, column };
  expect(functionName(fn, { text: () => text })).toBe(expected);
});
