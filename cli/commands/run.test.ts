import { expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../../daemon/protocol/constants.ts";
import type { CliConfig } from "../config/parse-config.ts";
import { headersOf, resolveRunUrl } from "./run.ts";

const config: CliConfig = {
  accounts: { counter: { SmartFunction: { address: BRIDGE_ADDRESS } } },
  networks: {},
};

it.each([
  ["jstz://counter/increment", `jstz://${BRIDGE_ADDRESS}/increment`],
  ["counter/increment", `jstz://${BRIDGE_ADDRESS}/increment`],
  ["counter", `jstz://${BRIDGE_ADDRESS}/`],
  ["counter?x=1", `jstz://${BRIDGE_ADDRESS}/?x=1`],
  ["counter/a?b=%20#frag", `jstz://${BRIDGE_ADDRESS}/a?b=%20`],
  [`JSTZ://${BRIDGE_ADDRESS}/`, `jstz://${BRIDGE_ADDRESS}/`],
  [`${BOOTSTRAP_ACCOUNTS[1].address}/`, `jstz://${BOOTSTRAP_ACCOUNTS[1].address}/`],
  ["jstz://jstz/withdraw", "jstz://jstz/withdraw"],
])("resolves %s", (text, uri) => {
  expect(resolveRunUrl(config, text)).toBe(uri);
});

it.each([
  ["", "BAD_URL"],
  ["http://counter/", "BAD_URL"],
  ["counter/a b", "BAD_URL"],
  ["nobody/x", "UNKNOWN_ALIAS"],
  ["KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcnj/x", "BAD_ADDRESS"],
])("refuses %j", (text, code) => {
  expect(() => resolveRunUrl(config, text)).toThrow(expect.objectContaining({ code }) as Error);
});

it("keeps all values of a header given several times, and one transfer", () => {
  const header = ["X-Foo: a", "x-foo:b", "X-Jstz-Transfer: 1"];
  expect(headersOf({ header, amount: "2" })).toEqual({ "x-foo": ["a", "b"], "x-jstz-transfer": "2000000" });
});

it.each([
  [Buffer.from('{"a":1}'), { "content-type": "application/json" }],
  [Buffer.from("{"), {}],
  [Buffer.from([0x22, 0xff, 0x22]), {}],
])("declares a body as JSON only when its bytes are", (body, headers) => {
  expect(headersOf({}, body)).toEqual(headers);
});
