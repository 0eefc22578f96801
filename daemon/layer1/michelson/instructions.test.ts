import { describe, expect, it, vi } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../protocol/constants.ts";
import { addressOf } from "../../tezos/address.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { PRIMITIVE_NAMES } from "../../tezos/primitives.ts";
import { finish } from "../job.ts";
import { loneFrame, loneWorld, SELF } from "../testing/lone-contract.ts";
import { checkCode, SUPPORTED_INSTRUCTIONS } from "./check.ts";
import { GasMeter } from "./gas.ts";
import { type Frame, stackOf } from "./instruction.ts";
import type { InternalOperation } from "./internal-operation.ts";
import { Machine } from "./machine.ts";
import { MichelsonError, ScriptRejected } from "./michelson-error.ts";
import { looseScope } from "./script.ts";
import { StackType } from "./stack-type.ts";
import { sameType, type } from "./type.ts";
import { unparseValue } from "./unparse-value.ts";
import type { OperationValue, PairValue, Value } from "./value.ts";

const SENDER = BOOTSTRAP_ACCOUNTS[1].address;
const OTHER = addressOf("KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni");
const KEY = BOOTSTRAP_ACCOUNTS[1].publicKey;

let nonce = 0;
const world = loneWorld({
  hasEntrypoint: (address, entrypoint, argument) =>
    address === OTHER && entrypoint === "ping" && sameType(argument, type("nat")),
  findView: (address, name) =>
    address === OTHER && name === "double"
      ? {
          code: {
            steps: [(_, stack) => void stack.push(((stack.pop() as PairValue).left as bigint) * 2n)],
            types: [undefined, undefined],
            locate: () => 0,
          },
          storage: true,
          balance: 0n,
        }
      : undefined,
  addressIndex: () => 7n,
  nextNonce: () => nonce++,
  nextContract: () => OTHER,
});

const frame = (gas = 1_000_000_000): Frame =>
  loneFrame(new GasMeter(gas), { sender: SENDER, source: SENDER, amount: 5n, balance: 7n, world });

/** Runs code on an empty stack and returns the top. */
function topOf(code: string, gas?: number): { readonly value: Value; readonly expression: () => Micheline } {
  const tree = parseMichelineText(`{ ${code} }`);
  const checked = finish(checkCode(tree, StackType.EMPTY, looseScope(tree)));
  const stack = stackOf();
  new Machine(frame(gas), checked.code, stack).run(Infinity);
  const top = checked.after!.top!;
  const value = stack[stack.length - 1]!;
  return { value, expression: () => unparseValue(top, value, "readable") };
}

/** Error ids of code that must be rejected or fail. */
function failureOf(code: string, gas?: number): readonly string[] {
  try {
    topOf(code, gas);
  } catch (error) {
    if (error instanceof MichelsonError) return error.errors.map(({ id }) => id);
    if (error instanceof ScriptRejected) return ["script_rejected", JSON.stringify(error.with)];
    throw error;
  }
  return [];
}

const GROUPS: Readonly<Record<string, readonly (readonly [code: string, expected: string])[]>> = {
  "stack and pairs": [
    ["PUSH int 1; PUSH int 2; DROP", "1"],
    ["PUSH int 1; PUSH int 2; DROP 2; UNIT", "Unit"],
    ["PUSH int 1; PUSH int 2; DUP 2", "1"],
    ["PUSH int 1; PUSH int 2; SWAP", "1"],
    ["PUSH int 1; PUSH int 2; PUSH int 3; DIG 2", "1"],
    ["PUSH int 1; PUSH int 2; PUSH int 3; DUG 2; DROP 2", "3"],
    ["PUSH int 1; PUSH int 2; PAIR", "Pair 2 1"],
    ["PUSH int 1; PUSH int 2; PUSH int 3; PAIR 3", "Pair 3 2 1"],
    ["PUSH (pair int int int) (Pair 1 2 3); UNPAIR 3; DROP 2", "3"],
    ["PUSH (pair int int) (Pair 1 2); CAR", "1"],
    ["PUSH (pair int int) {1; 2}; CDR", "2"],
    ["PUSH (pair int int int) (Pair 1 2 3); GET 0", "Pair 1 2 3"],
    ["PUSH (pair int int int) (Pair 1 2 3); GET 1", "1"],
    ["PUSH (pair int int int) (Pair 1 2 3); GET 3", "2"],
    ["PUSH (pair int int int) (Pair 1 2 3); GET 4", "3"],
    ['PUSH (pair int int int) (Pair 1 2 3); PUSH string "x"; UPDATE 3', 'Pair 1 "x" 3'],
    ['PUSH (pair int int int) (Pair 1 2 3); PUSH string "x"; UPDATE 4', 'Pair 1 2 "x"'],
    ["PUSH int 1; CAST int; RENAME", "1"],
    ["PUSH int 1; SOME", "Some 1"],
    ["NONE int", "None"],
    ["PUSH int 1; LEFT string", "Left 1"],
    ["PUSH int 1; RIGHT string", "Right 1"],
  ],
  control: [
    ["PUSH bool True; IF { PUSH int 1 } { PUSH int 2 }", "1"],
    ["PUSH bool False; IF { PUSH int 1 } { PUSH int 2 }", "2"],
    ["NONE int; IF_NONE { PUSH int 9 } {}", "9"],
    ["PUSH (option int) (Some 3); IF_NONE { PUSH int 9 } {}", "3"],
    ["PUSH (or int string) (Left 4); IF_LEFT {} { DROP; PUSH int 0 }", "4"],
    ["PUSH (list int) {5; 6}; IF_CONS { DIP { DROP } } { PUSH int 0 }", "5"],
    ["PUSH (list int) {}; IF_CONS { DIP { DROP } } { PUSH int 0 }", "0"],
    ["PUSH int 1; PUSH int 2; DIP { PUSH int 7; ADD }; DROP", "8"],
    ["PUSH int 1; PUSH int 2; PUSH int 3; DIP 2 { PUSH int 10; ADD }; DROP 2", "11"],
    ["PUSH int 0; PUSH bool True; LOOP { PUSH int 1; ADD; DUP; PUSH int 10; COMPARE; GT }", "10"],
    [
      'PUSH int 3; LEFT string; LOOP_LEFT { DUP; EQ; IF { DROP; PUSH string "end"; RIGHT int } { PUSH int 1; SWAP; SUB; LEFT string } }',
      '"end"',
    ],
    ["PUSH int 0; PUSH (list int) {1; 2; 3}; ITER { ADD }", "6"],
    ['PUSH int 0; PUSH (map string int) {Elt "a" 4; Elt "b" 5}; ITER { CDR; ADD }', "9"],
    ["PUSH int 0; PUSH (set int) {1; 5}; ITER { ADD }", "6"],
    ["PUSH (list int) {1; 2}; MAP { PUSH int 10; MUL }", "{10; 20}"],
    ['PUSH (map string int) {Elt "a" 4}; MAP { CDR; PUSH int 1; ADD }', '{Elt "a" 5}'],
    ["PUSH (option int) (Some 1); MAP { PUSH int 1; ADD }", "Some 2"],
    ["PUSH int 4; LAMBDA int int { PUSH int 1; ADD }; SWAP; EXEC", "5"],
    ["PUSH int 4; PUSH (lambda int int) { PUSH int 1; ADD }; SWAP; EXEC", "5"],
    ["LAMBDA (pair int int) int { UNPAIR; SUB }; PUSH int 10; APPLY; PUSH int 3; EXEC", "7"],
    // Factorial of 5 by a recursive lambda.
    [
      "LAMBDA_REC int int { DUP; EQ; IF { DROP 2; PUSH int 1 } { DUP; DUG 2; PUSH int 1; SWAP; SUB; EXEC; MUL } }; PUSH int 5; EXEC",
      "120",
    ],
  ],
  arithmetic: [
    ["PUSH int -3; PUSH nat 5; ADD", "2"],
    ["PUSH timestamp 10; PUSH int 5; ADD; PUSH timestamp 15; COMPARE", "0"],
    ["PUSH mutez 2; PUSH mutez 3; ADD", "5"],
    ["PUSH nat 5; PUSH nat 3; SUB", "-2"],
    ["PUSH timestamp 10; PUSH timestamp 25; SUB", "15"],
    ["PUSH mutez 2; PUSH mutez 3; SUB_MUTEZ", "Some 1"],
    ["PUSH mutez 3; PUSH mutez 2; SUB_MUTEZ", "None"],
    ["PUSH mutez 3; PUSH nat 2; MUL", "6"],
    ["PUSH int -3; PUSH int 2; MUL", "-6"],
    ["PUSH int 2; PUSH int -7; EDIV", "Some (Pair -4 1)"],
    ["PUSH int -2; PUSH int 7; EDIV", "Some (Pair -3 1)"],
    ["PUSH int -2; PUSH int -7; EDIV", "Some (Pair 4 1)"],
    ["PUSH nat 0; PUSH nat 7; EDIV", "None"],
    ["PUSH mutez 3; PUSH mutez 10; EDIV", "Some (Pair 3 1)"],
    ["PUSH nat 3; PUSH mutez 10; EDIV", "Some (Pair 3 1)"],
    ["PUSH int -5; ABS", "5"],
    ["PUSH nat 5; NEG", "-5"],
    ["PUSH int -5; ISNAT", "None"],
    ["PUSH int 5; ISNAT", "Some 5"],
    ["PUSH nat 5; INT", "5"],
    ["PUSH bool True; NOT", "False"],
    ["PUSH nat 5; NOT", "-6"],
    ["PUSH nat 6; PUSH nat 3; AND", "2"],
    ["PUSH nat 6; PUSH int -1; AND", "6"],
    ["PUSH nat 6; PUSH nat 3; OR", "7"],
    ["PUSH nat 6; PUSH nat 3; XOR", "5"],
    ["PUSH bool True; PUSH bool False; XOR", "True"],
    ["PUSH nat 2; PUSH nat 3; LSL", "12"],
    ["PUSH nat 2; PUSH nat 12; LSR", "3"],
  ],
  "bytes as numbers": [
    ["PUSH bytes 0x0f; PUSH bytes 0x1234; AND", "0x04"],
    ["PUSH bytes 0x0f; PUSH bytes 0x1234; OR", "0x123f"],
    ["PUSH bytes 0x0f; PUSH bytes 0x1234; XOR", "0x123b"],
    ["PUSH bytes 0x0f; NOT", "0xf0"],
    ["PUSH nat 1; PUSH bytes 0x06; LSL", "0x000c"],
    ["PUSH nat 8; PUSH bytes 0x06; LSL", "0x0600"],
    ["PUSH nat 9; PUSH bytes 0x1234; LSR", "0x09"],
    ["PUSH nat 20; PUSH bytes 0x1234; LSR", "0x"],
    ["PUSH int 0; BYTES", "0x"],
    ["PUSH int 128; BYTES", "0x0080"],
    ["PUSH int -1; BYTES", "0xff"],
    ["PUSH int -129; BYTES", "0xff7f"],
    ["PUSH nat 128; BYTES", "0x80"],
    ["PUSH bytes 0xff7f; INT", "-129"],
    ["PUSH bytes 0xff7f; NAT", "65407"],
  ],
  comparison: [
    ['PUSH string "a"; PUSH string "b"; COMPARE', "1"],
    ["PUSH bytes 0x01; PUSH bytes 0x0101; COMPARE", "1"],
    ["PUSH bool True; PUSH bool False; COMPARE", "-1"],
    ["UNIT; UNIT; COMPARE", "0"],
    ["PUSH (pair int int) (Pair 1 2); PUSH (pair int int) (Pair 1 3); COMPARE", "1"],
    ["PUSH (option int) (Some 1); NONE int; COMPARE", "-1"],
    ["PUSH (or int int) (Right 1); PUSH (or int int) (Left 5); COMPARE", "-1"],
    // Implicit accounts sort before contracts, whatever their letters.
    [`PUSH address "${SELF}"; PUSH address "${SENDER}"; COMPARE`, "-1"],
    [`PUSH address "${SELF}%a"; PUSH address "${SELF}"; COMPARE`, "-1"],
    ["PUSH int 0; EQ", "True"],
    ["PUSH int 1; NEQ", "True"],
    ["PUSH int -1; LT", "True"],
    ["PUSH int 1; GT", "True"],
    ["PUSH int 0; LE", "True"],
    ["PUSH int 0; GE", "True"],
  ],
  collections: [
    ["NIL int; PUSH int 1; CONS; PUSH int 2; CONS", "{2; 1}"],
    ["PUSH (list int) {1; 2; 3}; SIZE", "3"],
    ['PUSH string "abc"; SIZE', "3"],
    ["PUSH bytes 0xabcd; SIZE", "2"],
    ["EMPTY_SET int; PUSH bool True; PUSH int 5; UPDATE; PUSH bool True; PUSH int 3; UPDATE", "{3; 5}"],
    ["PUSH (set int) {3; 5}; PUSH bool False; PUSH int 5; UPDATE", "{3}"],
    ["PUSH (set int) {3; 5}; PUSH int 5; MEM", "True"],
    [
      'EMPTY_MAP int string; PUSH string "a"; SOME; PUSH int 5; UPDATE; PUSH string "b"; SOME; PUSH int 3; UPDATE',
      '{Elt 3 "b"; Elt 5 "a"}',
    ],
    ['PUSH (map int string) {Elt 3 "b"}; NONE string; PUSH int 3; UPDATE', "{}"],
    ['PUSH (map int string) {Elt 3 "b"}; PUSH int 3; GET', 'Some "b"'],
    ['PUSH (map int string) {Elt 3 "b"}; PUSH int 4; GET', "None"],
    ['PUSH (map int string) {Elt 3 "b"}; PUSH string "c"; SOME; PUSH int 3; GET_AND_UPDATE', 'Some "b"'],
    ["EMPTY_BIG_MAP int int; PUSH int 7; SOME; PUSH int 1; UPDATE; PUSH int 1; GET", "Some 7"],
    ["EMPTY_BIG_MAP int int; PUSH int 7; SOME; PUSH int 1; GET_AND_UPDATE", "None"],
    ["EMPTY_BIG_MAP int int; PUSH int 1; MEM", "False"],
    ['PUSH string "b"; PUSH string "a"; CONCAT', '"ab"'],
    ['PUSH (list string) {"a"; "b"; "c"}; CONCAT', '"abc"'],
    ["PUSH (list bytes) {0x01; 0x02}; CONCAT", "0x0102"],
    ['PUSH string "hello"; PUSH nat 2; PUSH nat 1; SLICE', 'Some "el"'],
    ['PUSH string "hello"; PUSH nat 0; PUSH nat 5; SLICE', "None"],
    ["PUSH bytes 0x010203; PUSH nat 1; PUSH nat 2; SLICE", "Some 0x03"],
  ],
  "hashes and packing": [
    ["PUSH bytes 0x; SHA256", "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["PUSH bytes 0x; BLAKE2B", "0x0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"],
    ["PUSH bytes 0x; KECCAK", "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"],
    ["PUSH bytes 0x; SHA3", "0xa7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"],
    ["PUSH bytes 0x; SHA512; SIZE", "64"],
    [
      'PUSH address "tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx"; PACK',
      "0x050a00000016000002298c03ed7d454a101eb7022bc95f7e5f41ac78",
    ],
    ["PUSH (pair nat (option bytes)) (Pair 0 None); PACK", "0x05070700000306"],
    // Combs of any length are packed as nested pairs.
    ["PUSH (pair int int int int) (Pair 1 2 3 4); PACK", "0x050707000107070002070700030004"],
    ["PUSH bytes 0x050707000107070002070700030004; UNPACK (pair int int int int)", "Some (Pair 1 2 3 4)"],
    ["PUSH bytes 0x0500; UNPACK int", "None"],
    ["PUSH bytes 0x050001ff; UNPACK int", "None"],
    ["PUSH bytes 0x05030b; UNPACK int", "None"],
    [
      "PUSH bytes 0x050200000002034f; UNPACK (lambda unit unit); IF_NONE { PUSH bool False } { DROP; PUSH bool True }",
      "False",
    ],
    [`PUSH key "${KEY}"; HASH_KEY`, `"${SENDER}"`],
  ],
  chain: [
    ["SELF_ADDRESS", `"${SELF}"`],
    ["SENDER", `"${SENDER}"`],
    ["SOURCE", `"${SENDER}"`],
    ["AMOUNT", "5"],
    ["BALANCE", "7"],
    ["LEVEL", "42"],
    ["NOW", '"2023-11-14T22:13:20Z"'],
    ["CHAIN_ID", '"NetXUuLfV3fYF4x"'],
    ["MIN_BLOCK_TIME", "1"],
    ["TOTAL_VOTING_POWER", "0"],
    [`PUSH key_hash "${SENDER}"; VOTING_POWER`, "0"],
    [
      `PUSH address "${OTHER}"; CONTRACT %ping nat; IF_NONE { PUSH string "no" } { ADDRESS; DROP; PUSH string "yes" }`,
      '"yes"',
    ],
    [
      `PUSH address "${OTHER}%ping"; CONTRACT nat; IF_NONE { PUSH bool False } { DROP; PUSH bool True }`,
      "True",
    ],
    [
      `PUSH address "${OTHER}%ping"; CONTRACT %ping nat; IF_NONE { PUSH bool False } { DROP; PUSH bool True }`,
      "False",
    ],
    [
      `PUSH address "${OTHER}"; CONTRACT %ping string; IF_NONE { PUSH bool False } { DROP; PUSH bool True }`,
      "False",
    ],
    [`PUSH key_hash "${SENDER}"; IMPLICIT_ACCOUNT; ADDRESS`, `"${SENDER}"`],
    [`PUSH address "${SENDER}"; IS_IMPLICIT_ACCOUNT`, `Some "${SENDER}"`],
    [`PUSH address "${SELF}"; IS_IMPLICIT_ACCOUNT`, "None"],
    [`PUSH address "${OTHER}"; PUSH int 21; VIEW "double" int`, "Some 42"],
    [`PUSH address "${OTHER}"; PUSH int 21; VIEW "triple" int`, "None"],
  ],
  tickets: [
    [
      `PUSH nat 3; PUSH string "a"; TICKET; IF_NONE { FAIL_NO_TICKET } { READ_TICKET; DIP { DROP } }`.replace(
        "FAIL_NO_TICKET",
        'PUSH string "none"; FAILWITH',
      ),
      `Pair "${SELF}" "a" 3`,
    ],
    ['PUSH nat 0; PUSH string "a"; TICKET; IF_NONE { PUSH bool True } { DROP; PUSH bool False }', "True"],
    [
      'PUSH (pair nat nat) (Pair 1 2); PUSH nat 3; PUSH string "a"; TICKET; IF_NONE { PUSH int 0; FAILWITH } {}; SPLIT_TICKET; IF_NONE { PUSH int 0; FAILWITH } { CDR; READ_TICKET; DIP { DROP }; GET 4 }',
      "2",
    ],
    [
      'PUSH (pair nat nat) (Pair 1 1); PUSH nat 3; PUSH string "a"; TICKET; IF_NONE { PUSH int 0; FAILWITH } {}; SPLIT_TICKET; IF_NONE { PUSH bool True } { DROP; PUSH bool False }',
      "True",
    ],
    [
      'PUSH nat 1; PUSH string "a"; TICKET; IF_NONE { PUSH int 0; FAILWITH } {}; PUSH nat 2; PUSH string "a"; TICKET; IF_NONE { PUSH int 0; FAILWITH } {}; PAIR; JOIN_TICKETS; IF_NONE { PUSH int 0; FAILWITH } { READ_TICKET; DIP { DROP }; GET 4 }',
      "3",
    ],
    [
      'PUSH nat 1; PUSH string "a"; TICKET; IF_NONE { PUSH int 0; FAILWITH } {}; PUSH nat 2; PUSH string "b"; TICKET; IF_NONE { PUSH int 0; FAILWITH } {}; PAIR; JOIN_TICKETS; IF_NONE { PUSH bool True } { DROP; PUSH bool False }',
      "True",
    ],
  ],
};

for (const [group, cases] of Object.entries(GROUPS)) {
  describe(`Michelson ${group}`, () => {
    it.each(cases)("%s gives %s", (code, expected) => {
      expect(topOf(code).expression()).toEqual(parseMichelineText(expected));
    });
  });
}

describe("Michelson operations", () => {
  const operationOf = (code: string): InternalOperation =>
    (topOf(code).value as OperationValue).operation as InternalOperation;

  it("transfers tez to an entrypoint", () => {
    const code = `PUSH address "${OTHER}"; CONTRACT %ping nat; IF_NONE { PUSH int 0; FAILWITH } {}; PUSH mutez 9; PUSH nat 4; TRANSFER_TOKENS`;
    expect(operationOf(code)).toMatchObject({
      kind: "transaction",
      source: SELF,
      destination: OTHER,
      entrypoint: "ping",
      amount: 9n,
      argument: 4n,
    });
  });

  it("sets and clears a delegate", () => {
    expect(operationOf(`PUSH key_hash "${SENDER}"; SOME; SET_DELEGATE`)).toMatchObject({
      kind: "delegation",
      delegate: SENDER,
    });
    expect(operationOf("NONE key_hash; SET_DELEGATE")).toMatchObject({
      kind: "delegation",
      delegate: undefined,
    });
  });

  it("creates a contract", () => {
    const code =
      "PUSH int 3; PUSH mutez 2; NONE key_hash; CREATE_CONTRACT { parameter unit; storage int; code { CDR; NIL operation; PAIR } }";
    expect(operationOf(code)).toMatchObject({
      kind: "origination",
      address: OTHER,
      balance: 2n,
      storage: 3n,
    });
  });

  it("emits an event with its tag", () => {
    expect(operationOf("PUSH int 3; EMIT %moved int")).toMatchObject({
      kind: "event",
      tag: "moved",
      written: { int: "3" },
    });
    expect(operationOf("PUSH int 3; EMIT")).toMatchObject({ kind: "event", tag: undefined });
  });
});

describe("Michelson refuses", () => {
  it.each([
    ["ADD", "michelson_v1.bad_stack"],
    ['PUSH int 1; PUSH string "a"; ADD', "michelson_v1.undefined_binop"],
    ["PUSH mutez 1; PUSH mutez 2; SUB", "michelson_v1.deprecated_instruction"],
    ["PUSH nat -1", "michelson_v1.invalid_syntactic_constant"],
    ["PUSH mutez 9223372036854775808", "michelson_v1.invalid_syntactic_constant"],
    ["PUSH (set int) {2; 1}", "michelson_v1.unordered_set_literal"],
    ["PUSH (map int int) {Elt 1 1; Elt 1 2}", "michelson_v1.duplicate_map_keys"],
    ["PUSH (set (list int)) {}", "michelson_v1.comparable_type_expected"],
    ['PUSH bool True; IF { PUSH int 1 } { PUSH string "a" }', "michelson_v1.unmatched_branches"],
    ['PUSH string "a"; FAILWITH; UNIT', "michelson_v1.fail_not_in_tail_position"],
    ["SELF", "michelson_v1.forbidden_instr_in_context"],
    ['PUSH nat 3; PUSH string "a"; TICKET; DUP', "michelson_v1.non_dupable_type"],
    ['PUSH address "tz1"', "destination_repr.invalid_b58check"],
    [`UNIT; ${"DUP; PAIR; ".repeat(40)}`, "michelson_v1.type_too_large"],
    ["DROP 99999", "michelson_v1.invalid_syntactic_constant"],
  ])("%s with %s", (code, id) => {
    expect(failureOf(code)).toContain(id);
  });

  it.each(["SAPLING_EMPTY_STATE 8", "OPEN_CHEST"])("%s as unsupported, by name", (code) => {
    const tree = parseMichelineText(`{ ${code} }`);
    try {
      finish(checkCode(tree, StackType.EMPTY, looseScope(tree)));
      expect.unreachable();
    } catch (error) {
      expect((error as MichelsonError).errors[0]).toMatchObject({
        id: "sandbox.unsupported_primitive",
        primitive: code.split(" ")[0],
      });
    }
  });
});

describe("Michelson fails at run time", () => {
  it.each([
    ["PUSH mutez 9223372036854775807; PUSH mutez 1; ADD", "tez.addition_overflow"],
    ["PUSH mutez 9223372036854775807; PUSH nat 2; MUL", "tez.multiplication_overflow"],
    ["PUSH nat 257; PUSH nat 1; LSL", "michelson_v1.script_overflow"],
  ])("%s with %s", (code, id) => {
    expect(failureOf(code)[0]).toBe(id);
  });

  it("with the value of FAILWITH", () => {
    expect(failureOf('PUSH (pair string int) (Pair "no" 3); FAILWITH')).toEqual([
      "script_rejected",
      JSON.stringify({ prim: "Pair", args: [{ string: "no" }, { int: "3" }] }),
    ]);
  });

  it("when gas runs out in an infinite loop", () => {
    expect(failureOf("PUSH bool True; LOOP { PUSH bool True }; UNIT", 5_000_000)).toEqual([
      "gas_exhausted.operation",
    ]);
  });

  it("when a number whose digits keep doubling becomes too large", () => {
    expect(failureOf("PUSH nat 3; PUSH bool True; LOOP { DUP; MUL; PUSH bool True }", 1_000_000_000)).toEqual(
      ["sandbox.value_too_large"],
    );
  });
});

it("supports every instruction of the protocol, with these exceptions", () => {
  const missing = PRIMITIVE_NAMES.filter(
    (name) => /^[A-Z][A-Z0-9_]+$/.test(name) && !SUPPORTED_INSTRUCTIONS.includes(name),
  );
  expect(missing).toEqual([
    "CREATE_ACCOUNT", // removed from the protocol, as are STEPS_TO_QUOTA and the old TICKET
    "STEPS_TO_QUOTA",
    "SAPLING_EMPTY_STATE",
    "SAPLING_VERIFY_UPDATE",
    "TICKET_DEPRECATED",
    "OPEN_CHEST",
  ]);
});

it("digits of long numbers are written only when somebody reads them, and are right then", () => {
  const long = `PUSH bytes 0x7f${"a7".repeat(8_000)}; INT`;
  const digits = BigInt(`0x7f${"a7".repeat(8_000)}`).toString();
  const write = vi.spyOn(BigInt.prototype, "toString");
  const longTexts = (): number =>
    write.mock.calls.filter(
      ([radix = 10], i) => radix === 10 && String(write.mock.results[i]?.value).length > 1_000,
    ).length;
  try {
    const applied = topOf(`LAMBDA (pair int unit) int { CAR }; ${long}; APPLY`);
    const packed = topOf(
      `LAMBDA (pair int unit) int { CAR }; ${long}; APPLY; PACK; UNPACK (lambda unit int)`,
    );
    const emitted = topOf(`${long}; EMIT %x int`).value as OperationValue;
    expect(longTexts()).toBe(0);
    write.mockRestore();
    expect(JSON.stringify(applied.expression())).toContain(`{"int":"${digits}"}`);
    expect(JSON.stringify(packed.expression())).toContain(`{"int":"${digits}"}`);
    expect(JSON.stringify(emitted.operation)).toContain(`{"int":"${digits}"}`);
  } finally {
    write.mockRestore();
  }
});
