import { expect, it } from "vitest";
import { keyOfPhrase, newPhrase } from "./bip39-key.ts";

const PHRASE =
  "author crumble medal dose ribbon permit ankle sport final hood shadow vessel horn hawk enter zebra prefer devote captain during fly found despair business";

it.each([
  ["", "edsk2uqim1xRamoBVn6WEHVWEtiKq2ZCXooAzpjC3tGNSVrL9aLcKM", "tz1ia78UBMgdmVf8b2vu5y8Rd148p9e2yn2h"],
  [
    "foobar",
    "edsk3Admhyr2GZe5bz7LAx5KEjz6U8U56ouvdsgCuFRf2m6Wakhebz",
    "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg",
  ],
])("derives the key that octez-client derives (passphrase %j)", (passphrase, secret, address) => {
  const key = keyOfPhrase(PHRASE, passphrase);
  expect([key.text, key.publicKey.address]).toEqual([secret, address]);
});

it("makes phrases of twelve words that it accepts", () => {
  const phrase = newPhrase();
  expect(phrase.split(" ")).toHaveLength(12);
  expect(keyOfPhrase(`  ${phrase.replaceAll(" ", "\n")} `, "").publicKey.address).toMatch(/^tz1/);
});

it("rejects a phrase with a wrong word without repeating it", () => {
  expect(() => keyOfPhrase(PHRASE.replace("author", "autor"), "")).toThrow(
    expect.objectContaining({
      code: "BAD_SECRET_KEY",
      message: expect.not.stringContaining("autor") as string,
    }) as Error,
  );
});
