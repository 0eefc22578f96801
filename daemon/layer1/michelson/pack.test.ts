// Packed bytes must be reproducible by others: their hashes are signed and compared everywhere.
import { describe, expect, it } from "vitest";
import { compareKeys } from "../../tezos/address.ts";
import { toHex } from "../../tezos/hex.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { scriptRoutes } from "../testing/script-routes.ts";

const post = scriptRoutes();
const micheline = (text: string): Micheline => parseMichelineText(text);
const pack = async (type: string, data: string): Promise<string> =>
  ((await post("pack_data", { type: micheline(type), data: micheline(data) })) as { packed: string }).packed;
const bytesOf = (text: string): string => `05${toHex(encodeMicheline(micheline(text)))}`;

/** The storage that a script leaves, starting from an empty one. */
async function result(type: string, body: string): Promise<Micheline> {
  const script = micheline(
    `{ parameter unit; storage (option (${type})); code { DROP; ${body}; SOME; NIL operation; PAIR } }`,
  );
  const request = {
    script,
    storage: micheline("None"),
    input: micheline("Unit"),
    unparsing_mode: "Optimized",
  };
  const { storage } = (await post("run_code", request)) as { storage: { args: readonly Micheline[] } };
  return storage.args[0]!;
}

describe("PACK of a lambda writes the data in it in optimized form:", () => {
  // The first bytes were recorded on a real network (public tests of Taquito, pack.spec).
  it("an address with an entrypoint", async () => {
    const code = '{ PUSH address "KT1J4E79F1qL6kGBSQ3yXBdXmuq5j4FNThK2%main" ; DROP }';
    const bytes = await pack("lambda unit unit", code);
    expect(bytes.startsWith("0502000000250743036e0a0000001a01")).toBe(true);
    expect(bytes.endsWith(`00${Buffer.from("main").toString("hex")}0320`)).toBe(true);
  });

  it.each([
    ["a timestamp", 'timestamp "1970-01-01T00:00:10Z"', "timestamp 10"],
    [
      "a comb that is written as a sequence",
      "(pair int nat bool) {0; 3; False}",
      "(pair int nat bool) (Pair 0 3 False)",
    ],
    [
      "a map of combs",
      "(map nat (pair int nat bool)) {Elt 1 {0; 3; True}}",
      "(map nat (pair int nat bool)) {Elt 1 (Pair 0 3 True)}",
    ],
  ] as const)("%s", async (_, written, expected) => {
    const nested = expected.replace(/Pair (\d+) (\d+) (\w+)/, "Pair $1 (Pair $2 $3)");
    expect(await pack("lambda unit unit", `{ PUSH ${written} ; DROP }`)).toBe(
      bytesOf(`{ PUSH ${nested} ; DROP }`),
    );
  });

  it("a lambda within a lambda, and code without data unchanged", async () => {
    expect(
      await pack(
        "lambda unit unit",
        '{ LAMBDA unit timestamp { DROP ; PUSH timestamp "1970-01-01T00:00:10Z" } ; DROP }',
      ),
    ).toBe(bytesOf("{ LAMBDA unit timestamp { DROP ; PUSH timestamp 10 } ; DROP }"));
    const plain = "{ DUP ; PAIR @p %l ; CAR }";
    expect(await pack("lambda nat nat", plain)).toBe(bytesOf(plain));
  });
});

describe("APPLY writes the captured type with its pairs folded", () => {
  const lambda = "LAMBDA (pair (pair nat nat nat) unit) nat { CAR; CAR }";
  const captured = "PUSH (pair nat nat nat) (Pair 1 2 3)";

  it("when it is packed", async () => {
    const bytes = await result("bytes", `${lambda}; ${captured}; APPLY; PACK`);
    expect(bytes).toEqual({
      bytes: bytesOf("{ PUSH (pair nat nat nat) (Pair 1 (Pair 2 3)); PAIR; { CAR; CAR } }"),
    });
  });

  it("when it is stored, and works again", async () => {
    const stored = await result("lambda unit nat", `${lambda}; ${captured}; APPLY`);
    expect(stored).toEqual(micheline("{ PUSH (pair nat nat nat) (Pair 1 (Pair 2 3)); PAIR; { CAR; CAR } }"));
    const called = await result(
      "nat",
      `${lambda}; ${captured}; APPLY; PACK; UNPACK (lambda unit nat); IF_NONE { UNIT; FAILWITH } {}; UNIT; EXEC`,
    );
    expect(called).toEqual({ int: "1" });
  });
});

describe("keys of P-256 are ordered by both coordinates", () => {
  // The x of the first begins with 3aba, of the second with ab83; their parities order them the other way round.
  const [first, second] = [
    "p2pk66xmhjiN7LpfrDGFwpxPtJxkLtPjQ6HUxJbKmRbxSR7RMpamDwi",
    "p2pk65shUHKhx7zUSF7e8KZ2inmQ5aMS4jRBUmK6aCis4oaHoiWPXoT",
  ];

  it("in literals, in sets and by COMPARE", async () => {
    expect(compareKeys(first, second)).toBeLessThan(0);
    await expect(pack("set key", `{ "${first}" ; "${second}" }`)).resolves.toMatch(/^05/);
    await expect(pack("set key", `{ "${second}" ; "${first}" }`)).rejects.toMatchObject({
      errors: [{ id: "michelson_v1.invalid_constant" }, { id: "michelson_v1.unordered_set_literal" }],
    });
    expect(await result("int", `PUSH key "${second}"; PUSH key "${first}"; COMPARE`)).toEqual({ int: "-1" });
    const set = `EMPTY_SET key; PUSH bool True; PUSH key "${second}"; UPDATE; PUSH bool True; PUSH key "${first}"; UPDATE; PACK`;
    expect(await result("bytes", set)).toEqual({
      bytes: await pack("set key", `{ "${first}" ; "${second}" }`),
    });
  });
});
