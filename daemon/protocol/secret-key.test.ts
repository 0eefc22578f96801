import { expect, it } from "vitest";
import { parseSecretKey } from "./secret-key.ts";

it.each([
  ["edsk3M1HxYgWowRxyQQJTp3Zz9QwpSawRmzdvu7fKzxEgwTmggiRb4", "checksum"],
  ["edesk1zkqdxVsN8PWjWXqFpfnbXTbfTZrYQDgWnp3mZQyCFRqEJxKWbcv9TJJ8qA9FsmVGYvB1S6NdnqDAu7sVGk", "encrypted"],
])("refuses an invalid secret key with a code and does not repeat it: %s", (text, reason) => {
  expect(() => parseSecretKey(text)).toThrow(expect.objectContaining({ code: "BAD_SECRET_KEY" }) as Error);
  expect(() => parseSecretKey(text)).toThrow(reason);
  expect(() => parseSecretKey(text)).not.toThrow(text);
});
