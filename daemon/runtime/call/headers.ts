// Header cleaning: protocol headers apply to a single hop. Only a single valid transfer header has an effect, and it is
// consumed; all other `x-jstz` headers and `referer` are dropped.
import { parseMutez } from "../../protocol/tez.ts";
import { type Mutez, NO_TEZ } from "../../tezos/mutez.ts";
import type { HeaderList } from "./http-message.ts";

const TRANSFER_HEADER = "x-jstz-transfer";
export const AMOUNT_HEADER = "x-jstz-amount";
export const REFERER_HEADER = "referer";

export interface CleanHeaders {
  readonly headers: [string, string][];
  /** Mutez to move; 0 without a transfer header. */
  readonly transfer: Mutez;
}

/** Checked here because a guest can tamper with its own header checks. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[^\0\r\n]*$/;

/** Whether the headers are well-formed: no value can break out of its line. */
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
      // A second transfer header is invalid, even with the same amount.
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

/** Headers of every guest fetch unless the guest sets them. */
export function withFetchDefaults(headers: HeaderList): HeaderList {
  const has = (name: string): boolean => headers.some(([other]) => other.toLowerCase() === name);
  const list = [...headers];
  if (!has("accept")) list.push(["accept", "*/*"]);
  if (!has("accept-language")) list.push(["accept-language", "*"]);
  return list;
}

/** A failed response keeps its own headers; its transfer header is ignored. */
export function withoutProtocolHeaders(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return lower !== REFERER_HEADER && !lower.startsWith("x-jstz");
  });
}
