// The output of a started sandbox: banner and table of bootstrap accounts (in the Jstz sandbox's format, which users and
// scripts know).
import { VERSION } from "../protocol/constants.ts";
import { explorerAddress } from "../protocol/explorer-address.ts";
import { textTable } from "./text-table.ts";

const ART = [
  "   __                  _",
  "  / _|_   _ _ __   ___| |_ ___ ____",
  " | |_| | | | '_ \\ / __| __/ _ \\_  /",
  " |  _| |_| | | | | (__| ||  __// /",
  " |_|  \\__,_|_| |_|\\___|\\__\\___/___|",
];

/** Banner with the version, ending in an empty line. */
export function banner(bold: (text: string) => string = (text) => text): string {
  return `${ART.map(bold).join("\n")}\n\n        functez ${VERSION}  a local sandbox for smart functions on Tezos\n\n`;
}

export interface AccountTableRow {
  readonly label: string;
  readonly address: string;
  /** mutez, decimal */
  readonly balance: string;
}

/** Appears only in the table that a sandbox prints once it serves. */
export const BALANCE_HEADING = "XTZ Balance (mutez)";

/** Table with the columns `Address` and `XTZ Balance (mutez)`, rows sorted as text, ending in an empty line. */
export function accountTable(rows: readonly AccountTableRow[]): string {
  const cells = rows.map(({ label, address, balance }) => [`(${label}) ${address}`, balance]);
  cells.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  return `${textTable(["Address", BALANCE_HEADING], cells)}\n\n`;
}

/** Where the web page is, ending in an empty line. @param sandboxd base URL */
export const explorerLine = (sandboxd: string): string => `Explorer: ${explorerAddress(sandboxd)}\n\n`;
