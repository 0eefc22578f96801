// Block ids in RPC paths: head, genesis, a level or a hash, each with an optional offset.
import type { Block } from "../chain/block.ts";
import type { History } from "../chain/history.ts";

/**
 * Finds the block of an id such as `head~2`, `genesis+5`, `1234` or `BL...~1`; undefined when it is not in the history.
 * Offsets below the first block yield genesis, so that clients that ask for `head~2` work on a fresh chain.
 */
export function findBlock(history: History, id: string): Block | undefined {
  const match = /^([a-zA-Z0-9]+)(?:([~\-+])(\d{1,10}))?$/.exec(id);
  const base = match && findBase(history, match[1]!);
  if (!match || !base) return undefined;
  const [, , sign, digits] = match;
  if (sign === undefined) return base;
  const level = sign === "+" ? base.level + Number(digits) : base.level - Number(digits);
  return history.at(Math.max(0, level));
}

function findBase(history: History, name: string): Block | undefined {
  switch (name) {
    case "head":
      return history.head;
    case "genesis":
    case "caboose":
      return history.genesis;
    case "checkpoint":
    case "savepoint":
      return history.at(history.oldest);
    default:
      return /^\d{1,10}$/.test(name) ? history.at(Number(name)) : history.byHash(name);
  }
}
