import { expect, it } from "vitest";
import { adminSecretOf, secretFor } from "./admin-secret.ts";

it("comes from the environment, the configuration, or is new each time", () => {
  const config = { admin_secret: "of-the-configuration" };
  expect(adminSecretOf(config, { FUNCTEZ_ADMIN_SECRET: "of-the-environment" }).text).toBe(
    "of-the-environment",
  );
  expect(adminSecretOf(config, {})).toEqual({ text: "of-the-configuration", isChosen: true });
  const [one, other] = [adminSecretOf({ admin_secret: "" }, {}), adminSecretOf({ admin_secret: "" }, {})];
  expect(one.text).toMatch(/^[0-9a-f]{64}$/);
  expect(one.text).not.toBe(other.text);
});

it.each(["short", "with a space in the middle", "x".repeat(257), "line\nbreak-line-break"])(
  "is rejected from the environment as %j, without showing it",
  (text) => {
    const take = () => adminSecretOf({ admin_secret: "" }, { FUNCTEZ_ADMIN_SECRET: text });
    expect(take).toThrow(expect.objectContaining({ code: "BAD_OPTION" }) as Error);
    expect(take).not.toThrow(text);
  },
);

it("is not sent to a part that runs elsewhere, unless the operator chose it", () => {
  const random = { text: "random", isChosen: false };
  expect(secretFor(random, { skipped: true })).toBeUndefined();
  expect(secretFor(random, { skipped: false })).toBe("random");
  expect(secretFor({ text: "chosen", isChosen: true }, { skipped: true })).toBe("chosen");
});
