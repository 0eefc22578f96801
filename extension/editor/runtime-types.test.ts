import { expect, it } from "vitest";
import { isMissingGlobal } from "./runtime-types.ts";

it("answers unknown globals of the runtime, in both forms of codes", () => {
  expect(isMissingGlobal({ code: 2304, message: "Cannot find name 'Kv'." })).toBe(true);
  expect(
    isMissingGlobal({ code: { value: 2552 }, message: "Cannot find name 'Ledger'. Did you mean 'x'?" }),
  ).toBe(true);
});

it("leaves other diagnostics alone", () => {
  expect(isMissingGlobal({ code: 2304, message: "Cannot find name 'foo'." })).toBe(false);
  expect(isMissingGlobal({ code: 2339, message: "Property 'Kv' does not exist" })).toBe(false);
});
