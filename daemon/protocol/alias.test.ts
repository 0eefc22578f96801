import { expect, it } from "vitest";
import { aliasOfFile, aliasProblem } from "./alias.ts";

it.each([
  ["/work/counter/index.ts", "counter"],
  ["/work/my faucet.ts", "my-faucet"],
  ["/work/9lives.js", "lives"],
  ["/work/été.ts", "t-"],
  ["/work/___/index.ts", "smart-function"],
  ["C:\\\\work\\\\counter\\\\index.ts", "counter"],
  ["/work/bootstrap1.ts", "smart-function"],
])("names the function of %s %s", (path, alias) => {
  expect(aliasOfFile(path)).toBe(alias);
});

it.each(["alice", "a-b_c9", "axios.example"])("accepts %s", (alias) => {
  expect(aliasProblem(alias)).toBeUndefined();
});

it.each(["", "9a", "a b", "bootstrap7", "tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx", "__proto__", "a".repeat(65)])(
  "refuses %j",
  (alias) => {
    expect(aliasProblem(alias)).toBeTypeOf("string");
  },
);
