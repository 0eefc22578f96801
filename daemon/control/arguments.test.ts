import { expect, it } from "vitest";
import { parseSandboxdArguments } from "./arguments.ts";

it.each(["foo bar", "", "myhost", "127.0.0.1:80", "[::1]"])("does not bind to %j", (address) => {
  expect(() => parseSandboxdArguments(["run", "--bind", address])).toThrow(
    expect.objectContaining({ code: "BAD_OPTION" }) as Error,
  );
});

it.each([
  ["localhost", "127.0.0.1"],
  ["0.0.0.0", "0.0.0.0"],
  ["::1", "::1"],
])("binds to %s", (text, bind) => {
  expect(parseSandboxdArguments(["run", "--bind", text])).toMatchObject({ bind });
});
