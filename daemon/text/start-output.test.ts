import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { VERSION } from "../protocol/constants.ts";
import { accountTable, banner } from "./start-output.ts";

it("shows the version of the package in the banner", () => {
  expect(VERSION).toBe(manifest.version);
  expect(banner()).toContain(VERSION);
});

it("draws the table in the format of the Jstz sandbox, sorted by text", () => {
  const rows = [
    { label: "bootstrap5", address: "tz1ddb9NMYHZi5UzPdzTZMYQQZoMub195zgv", balance: "2" },
    { label: "bootstrap4", address: "tz1b7tUupMgCNw2cCLpKTkSD1NZzB5TkP2sv", balance: "100000000000" },
  ];
  expect(accountTable(rows))
    .toBe(`  +---------------------------------------------------+---------------------+
  | Address                                           | XTZ Balance (mutez) |
  +===================================================+=====================+
  | (bootstrap4) tz1b7tUupMgCNw2cCLpKTkSD1NZzB5TkP2sv | 100000000000        |
  +---------------------------------------------------+---------------------+
  | (bootstrap5) tz1ddb9NMYHZi5UzPdzTZMYQQZoMub195zgv | 2                   |
  +---------------------------------------------------+---------------------+

`);
});
