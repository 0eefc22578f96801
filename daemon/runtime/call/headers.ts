// Header cleaning: protocol headers of one hop never reach the next. Only a single valid transfer header has
// an effect, and it is consumed; everything else that begins with `x-jstz` and any `referer` is dropped.
import { parseMutez } from "../../protocol/tez.ts";
import { type Mutez, NO_TEZ } from "../../tezos/mutez.ts";
import type { HeaderList } from "./http-message.ts";

const TRANSFER_HEADER = "x-jstz-transfer";
export const AMOUNT_HEADER = "x-jstz-amount";
export const REFERER_HEADER = "referer";

export interface CleanHeaders {
  readonly headers: [string, string][];
  /** Mutez to move; 0 when no transfer was asked for. */
  readonly transfer: Mutez;
}

/** A guest can tamper with what checks headers on its side. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[^\0\r\n]*$/;

/** Whether these are headers at all: nothing in them can pass for the end of one. */
export const areHeaders = (list: HeaderList): boolean =>
  list.every(([name, value]) => NAME.test(name) && VALUE.test(value));

/** Headers without protocol headers, or undefined when the transfer header is not one positive number. */
export function cleanHeaders(list: HeaderList): CleanHeaders | undefined {
  if (!areHeaders(list)) return undefined;
  const headers: [string, string][] = [];
  let transfer = NO_TEZ;
  for (const [rawName, value] of list) {
    const name = rawName.toLowerCase();
    if (name === TRANSFER_HEADER) {
      // A second transfer header is refused, also when both carry the same amount.
      if (transfer !== 0n) return undefined;
      const amount = parseMutez(value);
      if (amount === undefined || amount === 0n) return undefined;
      transfer = amount;
    } else if (name !== REFERER_HEADER && !name.startsWith("x-jstz")) {
      headers.push([name, value]);
    }
  }
  return { headers, transfer };
}

/** Headers that every fetch of a guest carries unless it sets them itself. */
export function withFetchDefaults(headers: HeaderList): HeaderList {
  const has = (name: string): boolean => headers.some(([other]) => other.toLowerCase() === name);
  const list = [...headers];
  if (!has("accept")) list.push(["accept", "*/*"]);
  if (!has("accept-language")) list.push(["accept-language", "*"]);
  return list;
}

/** A failed response keeps its own headers; the transfer that it may carry is ignored. */
export function withoutProtocolHeaders(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return lower !== REFERER_HEADER && !lower.startsWith("x-jstz");
  });
}
