import { expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "./constants.ts";
import { SandboxError } from "./errors.ts";

const { secretKey } = BOOTSTRAP_ACCOUNTS[1]!;

it.each([
  secretKey,
  `{"user":{"secret_key":"${secretKey}"}}`,
  secretKey.slice(0, 20),
  `(${secretKey})`,
  `${secretKey}${secretKey}`,
])("never repeats a secret key that it found: %#", (found) => {
  const place = { file: "f", line: 1, column: 1, found, expected: "x" };
  const error = new SandboxError("CONFIG_INVALID", place);
  const shown = JSON.stringify(error.toBody()) + String(error);
  expect(shown).not.toContain(secretKey.slice(0, 12));
  expect(shown).toContain("edsk…");
});

it.each([
  ["it ended.", "The sandbox did not start: it ended."],
  ["it ended", "The sandbox did not start: it ended."],
  ["why?", "The sandbox did not start: why?"],
  ["and so on...", "The sandbox did not start: and so on...."],
])("ends a message once, with the reason %j", (reason, message) => {
  expect(new SandboxError("SANDBOX_START_FAILED", { reason }).message).toBe(message);
});

it("leaves other texts as they are", () => {
  const { address, publicKey } = BOOTSTRAP_ACCOUNTS[1]!;
  expect(new SandboxError("UNKNOWN_ALIAS", { found: address }).message).toContain(address);
  expect(new SandboxError("UNKNOWN_ALIAS", { found: publicKey }).message).toContain(publicKey);
});
