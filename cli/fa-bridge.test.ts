import { Parser } from "@taquito/michel-codec";
import { expect, it } from "vitest";
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS } from "../daemon/protocol/constants.ts";
import {
  FA2_TOKEN,
  FA_BRIDGE,
  FA_TICKETER,
  fa2TokenStorage,
  faBridgeStorage,
  faTicketerStorage,
} from "../daemon/protocol/fa-bridge-scripts.ts";
import { originationOf } from "./fa-bridge.ts";

const OWNER = "tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV";

it.each([
  ["a token", FA2_TOKEN, fa2TokenStorage(OWNER, 3n, 1_000n)],
  [
    "a ticketer",
    FA_TICKETER,
    faTicketerStorage({ address: BRIDGE_ADDRESS, id: 0n }, { id: 1n, content: "00ff", totalSupply: 0n }),
  ],
  [
    "a ticketer without content",
    FA_TICKETER,
    faTicketerStorage({ address: BRIDGE_ADDRESS }, { id: 1n, content: undefined, totalSupply: 7n }),
  ],
  ["a bridge", FA_BRIDGE, faBridgeStorage({ address: BRIDGE_ADDRESS }, EXCHANGER_ADDRESS, undefined)],
  [
    "a bridge with a proxy",
    FA_BRIDGE,
    faBridgeStorage({ address: BRIDGE_ADDRESS, id: 2n }, EXCHANGER_ADDRESS, BRIDGE_ADDRESS),
  ],
])("%s is deployed as Taquito parses its text", (_, script, storage) => {
  const parser = new Parser();
  expect(originationOf(script, storage)).toEqual({
    kind: "origination",
    script: JSON.parse(
      JSON.stringify({
        code: parser.parseScript(script),
        storage: parser.parseMichelineExpression(`(${storage})`),
      }),
    ),
  });
});
