// Rejections of the type checker: error ids and their order, as in the real protocol.
import { describe, expect, it } from "vitest";
import { parseScriptText } from "../../tezos/micheline-text.ts";
import { finish } from "../job.ts";
import { noGasLimit } from "./gas.ts";
import { MichelsonError } from "./michelson-error.ts";
import { typecheckScript } from "./script.ts";

function idsOf(script: string, legacy = false): readonly string[] {
  try {
    finish(typecheckScript(parseScriptText(script), noGasLimit(), legacy));
    return [];
  } catch (error) {
    if (error instanceof MichelsonError) return error.errors.map(({ id }) => id.replace("michelson_v1.", ""));
    throw error;
  }
}

/** A script whose code starts with its empty storage on the stack and continues with `body`. */
const code = (body: string): string =>
  `parameter unit; storage unit; code { CDR; ${body}; NIL operation; PAIR }`;
const CODE = "ill_typed_contract";
const KEPT = "code { CDR; NIL operation; PAIR }";
const view = (name: string, rest = "unit unit { CDR }"): string =>
  `parameter unit; storage unit; ${KEPT}; view ${name} ${rest}`;
const asking = (name: string): string =>
  code(`PUSH address "KT18amZmM5W7qDWVt2pH6uj7sCEd3kbzLrHT"; UNIT; VIEW ${name} unit; DROP`);

it("a correct script is accepted", () => {
  expect(idsOf(code("DROP; UNIT"))).toEqual([]);
  expect(idsOf(view('"a_view.%@0"'))).toEqual([]);
  expect(idsOf(asking('"a"'))).toEqual([]);
});

describe("refused with the ids of the protocol:", () => {
  it.each<[string, string, readonly string[]]>([
    ["two views with one name", `${view('"a"')}; view "a" unit unit { CDR }`, [CODE, "duplicated_view_name"]],
    ["a view whose name has a space", view('"a b"'), [CODE, "invalid_syntactic_constant", "bad_view_name"]],
    ["a view whose name is too long", view(`"${"a".repeat(32)}"`), [CODE, "view_name_too_long"]],
    ["a view whose name is not a text", view("1"), [CODE, "invalid_expression_kind"]],
    ["a view with an extra argument", view('"a"', "unit unit { CDR } unit"), [CODE, "invalid_arity"]],
    [
      "a view that takes a ticket",
      view('"a"', "(ticket nat) unit { CDR }"),
      [CODE, "ill_formed_type", "unexpected_ticket"],
    ],
    [
      "a view that returns a big map",
      view('"a"', "unit (big_map nat nat) { DROP; EMPTY_BIG_MAP nat nat }"),
      [CODE, "ill_formed_type", "unexpected_lazy_storage"],
    ],
    ["a view that leaves two values", view('"a"', "unit unit { UNPAIR }"), [CODE, "ill_typed_view"]],
    [
      "a view that returns another type",
      view('"a"', "unit nat { CDR }"),
      [CODE, "ill_typed_view", "inconsistent_types"],
    ],
    [
      "a view that emits operations",
      view('"a"', "unit unit { DROP; NONE key_hash; SET_DELEGATE; DROP; UNIT }"),
      [CODE, "forbidden_instr_in_context"],
    ],
    ["VIEW with a bad name", asking('"a b"'), [CODE, "invalid_syntactic_constant", "bad_view_name"]],
    ["VIEW with a name too long", asking(`"${"a".repeat(32)}"`), [CODE, "view_name_too_long"]],
    ["VIEW with bytes for a name", asking("0x00"), [CODE, "invalid_expression_kind"]],
    [
      "CONTRACT %default",
      code('PUSH address "KT18amZmM5W7qDWVt2pH6uj7sCEd3kbzLrHT"; CONTRACT %default unit; DROP'),
      [CODE, "unexpected_default_entrypoint"],
    ],
    [
      "CONTRACT with a long name",
      code(`PUSH address "KT18amZmM5W7qDWVt2pH6uj7sCEd3kbzLrHT"; CONTRACT %${"a".repeat(32)} unit; DROP`),
      [CODE, "entrypoint_name_too_long"],
    ],
    ["EMIT %default", code("UNIT; EMIT %default; DROP"), [CODE, "unexpected_default_entrypoint"]],
    [
      "a named parameter section in CREATE_CONTRACT",
      code(
        "UNIT; PUSH mutez 0; NONE key_hash; CREATE_CONTRACT { parameter %root unit; storage unit; code { CDR; NIL operation; PAIR } }; DROP 2",
      ),
      [CODE, CODE, "unexpected_annotation"],
    ],
    ["a value of type never", code("PUSH never 1; DROP"), [CODE, "invalid_constant", "invalid_never_expr"]],
    ["a big map by id", code("PUSH (big_map nat nat) 1; DROP"), [CODE, "unexpected_lazy_storage"]],
    ["PAIR 1", code("UNIT; PAIR 1"), [CODE, "bad_pair_argument"]],
    ["DUP 0", code("DUP 0; DROP"), [CODE, "bad_dupn_argument"]],
    ["a deep DIP", code("DIP 1024 {}"), [CODE, "invalid_syntactic_constant"]],
    ["FAILWITH before more code", code("DIP { UNIT; FAILWITH }"), [CODE, "fail_not_in_tail_position"]],
    ["MAP whose body fails", code("NIL nat; MAP { FAILWITH }; DROP"), [CODE, "invalid_map_block_fail"]],
    ["a missing section", "parameter unit; storage unit", [CODE, "missing_script_field"]],
    [
      "a duplicate section",
      `parameter unit; parameter unit; storage unit; ${KEPT}`,
      [CODE, "duplicate_script_field"],
    ],
    ["an unknown section", `parameter unit; storage unit; ${KEPT}; UNIT`, [CODE, "invalid_primitive"]],
    [
      "a parameter that holds an operation",
      `parameter operation; storage unit; ${KEPT}`,
      ["ill_formed_type", "unexpected_operation"],
    ],
  ])("%s", (_, script, ids) => {
    expect(idsOf(script)).toEqual(ids);
  });

  it.each<[string, readonly string[]]>([
    // Each instruction accepts certain kinds of annotations (`script_ir_annot.ml`).
    ["UNIT @a :t; DROP", []],
    ["UNIT %f; DROP", ["unexpected_annotation"]],
    ["UNIT @a @b; DROP", ["unexpected_annotation"]],
    ["UNIT; UNIT; PAIR @p :t %l %r; DROP", []],
    ["UNIT; UNIT; PAIR %l @p %r; DROP", ["ungrouped_annotations"]],
    ["UNIT; UNIT; PAIR %l %r %x; DROP", ["unexpected_annotation"]],
    ["UNIT; UNIT; PAIR; CAR @%% %l; DROP", []],
    ["UNIT; UNIT; PAIR; UNPAIR @a @b %l %r; DROP 2", []],
    ["UNIT @%%; DROP", ["unexpected_annotation"]],
    ["UNIT; DROP @a", ["unexpected_annotation"]],
    ["UNIT; UNIT; SWAP @a; DROP 2", ["unexpected_annotation"]],
    ["UNIT @; DROP", []],
    ["UNIT @.a; DROP", ["unexpected_annotation"]],
    ["NOW @a; DROP", []],
    ["NOW :t; DROP", ["unexpected_annotation"]],
    ["MIN_BLOCK_TIME :t; DROP", []],
    ["NIL nat; SIZE :t; DROP", []],
    ["EMPTY_SET nat; SIZE :t; DROP", ["unexpected_annotation"]],
  ])("annotations: %s", (body, ids) => {
    expect(idsOf(code(body))).toEqual(ids.length === 0 ? [] : [CODE, ...ids]);
  });

  it("SUB on mutez and instructions forbidden in views, except in stored scripts", () => {
    const sub = code("AMOUNT; AMOUNT; SUB; DROP");
    expect(idsOf(sub)).toEqual([CODE, "deprecated_instruction"]);
    expect(idsOf(sub, true)).toEqual([]);
    const sender = view('"a"', "unit unit { DROP; NONE key_hash; SET_DELEGATE; DROP; UNIT }");
    expect(idsOf(sender, true)).toEqual([]);
    expect(idsOf(code("STEPS_TO_QUOTA; DROP"), true)).toEqual([CODE, "deprecated_instruction"]);
  });
});
