// RPCs that run scripts and convert data, apart from any operation.
import { type Address, addressOf, chainIdBytes, isAddress, isEntrypointName } from "../../tezos/address.ts";
import { toHex } from "../../tezos/hex.ts";
import { fieldsOf, integerField, MalformedJson, michelineField, textField } from "../../tezos/json-fields.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { MAX_GAS_PER_OPERATION, MAX_STORAGE_PER_OPERATION } from "../../tezos/parameters.ts";
import { unknownPrimitive } from "../../tezos/protocols.ts";
import type { Chain } from "../chain/chain.ts";
import type { Job } from "../job.ts";
import { findEntrypoint, searchCost, wrapArgument } from "../michelson/entrypoints.ts";
import { GasMeter, unmetered } from "../michelson/gas.ts";
import type { Frame, TypeLog } from "../michelson/instruction.ts";
import type { InternalOperation } from "../michelson/internal-operation.ts";
import { readLiteralPoints } from "../michelson/literal-points.ts";
import {
  MichelsonError,
  type ProtocolErrorFields,
  permanent,
  traced,
  tracedJob,
} from "../michelson/michelson-error.ts";
import { packValue } from "../michelson/pack.ts";
import { readValue } from "../michelson/parse-value.ts";
import { rewriteCode } from "../michelson/rewrite-code.ts";
import { runScript, runView } from "../michelson/run-script.ts";
import { type Script, lambdaInData, parseScript, typecheckScript } from "../michelson/script.ts";
import type { StackType } from "../michelson/stack-type.ts";
import { Trace, type TraceStep } from "../michelson/trace.ts";
import {
  TYPE_RULES,
  type Type,
  binaryType,
  parseType,
  plainType,
  unparseEntrypoint,
} from "../michelson/type.ts";
import { type Form, unparseValue } from "../michelson/unparse-value.ts";
import type { Value } from "../michelson/value.ts";
import { operationJson } from "../operations/apply-content.ts";
import { keepBigMaps } from "../operations/big-map-storage.ts";
import { type BlockFrame, type Execution, newCounters, takeReceipt } from "../operations/execution.ts";
import { expandConstants } from "../operations/global-constants.ts";
import { collectCost } from "../operations/lazy-storage.ts";
import { dataScope } from "../operations/read-data.ts";
import { worldOf } from "../operations/world.ts";
import { type Context, writeContext } from "../state/context.ts";
import { Layer } from "../state/store.ts";
import { blockOf } from "./block-routes.ts";
import { type Rpc } from "./rpc-server.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Scratch {
  readonly context: Context;
  readonly frame: BlockFrame;
}

const MOST_GAS = Number(MAX_GAS_PER_OPERATION);
/** Who calls when the request does not say: the address of an all-zero key hash. */
const NOBODY = addressOf("tz1Ke2h7sDdakHJQh8WX4Z372du1KChsksyU");
/** Who runs when the request does not say: the first contract that an operation of zeros would originate. */
const DUMMY_CONTRACT = addressOf("KT1BEqzn5Wx8uJrZNvuS9DVHmLvG9td3fDLi");

const text = (value: unknown, fallback: string): string => (typeof value === "string" ? value : fallback);

/** An address of the request. Scripts pack and compare it, so it is one. */
function addressIn(fields: Fields, name: string, fallback: Address): Address {
  return textField(text(fields[name], fallback), name, "an address", isAddress);
}

const levelOf = (value: unknown): number =>
  integerField(value, "level", { least: 0, most: 2 ** 31 - 1 }, "a level");

function amount(value: unknown, at: string): bigint {
  if (value === undefined) return 0n;
  return BigInt(textField(value, at, "a natural number as text", (digits) => /^\d{1,19}$/.test(digits)));
}

function gasOf(fields: Fields): GasMeter {
  const limit = fields["gas"];
  const units =
    typeof limit === "string" && /^\d{1,9}$/.test(limit) ? Math.min(Number(limit), MOST_GAS) : MOST_GAS;
  return new GasMeter(units * 1000);
}

function frameFor(
  scratch: Scratch,
  fields: Fields,
  self: Address,
  balance: bigint,
): { readonly frame: Frame; readonly execution: Execution } {
  const source = addressIn(fields, "source", NOBODY);
  const payer = addressIn(fields, "payer", source);
  const gas = gasOf(fields);
  const now =
    typeof fields["now"] === "string" && /^\d{1,12}$/.test(fields["now"])
      ? BigInt(fields["now"])
      : scratch.frame.timestamp;
  const level = fields["level"] === undefined ? scratch.frame.level : levelOf(fields["level"]);
  const chainId = textField(
    text(fields["chain_id"], scratch.frame.chainId),
    "chain_id",
    "a chain id",
    chainIdBytes,
  );
  const execution = {
    context: scratch.context,
    block: { ...scratch.frame, timestamp: now, level, chainId },
    operationHash: new Uint8Array(32),
    payer: source,
    gas,
    signatureGas: 0,
    // Without a contract to run as, the script is originated first, and its address is the first of the operation's.
    counters: { ...newCounters(), originations: fields["self"] === undefined ? 1 : 0 },
    storageLeft: { bytes: MAX_STORAGE_PER_OPERATION },
  };
  const frame = {
    gas,
    self,
    sender: source,
    source: payer,
    amount: amount(fields["amount"], "amount"),
    balance,
    world: worldOf(execution),
  };
  return { frame, execution };
}

function formOf(fields: Fields): Form {
  switch (fields["unparsing_mode"]) {
    case "Optimized":
      return "optimized";
    case "Optimized_legacy":
      return "packed";
    default:
      return "readable";
  }
}

interface Found {
  readonly script: Script;
  readonly storage: Value;
  readonly balance: bigint;
  readonly address: Address;
}

function* contractOf(scratch: Scratch, address: unknown): Job<Found> {
  const account = typeof address === "string" ? scratch.context.account(address) : undefined;
  if (!account?.contract) throw new MichelsonError(permanent("viewedContractHasNoScript"));
  yield* readLiteralPoints(account.contract.code, unmetered());
  return {
    script: parseScript(account.contract.code),
    storage: account.contract.storage,
    balance: account.balance,
    address: address as Address,
  };
}

interface Ran {
  readonly execution: Execution;
  readonly script: Script;
  readonly storage: Value;
  readonly diff: readonly object[];
  readonly operations: readonly InternalOperation[];
  readonly form: Form;
}

/** Runs a script that the request holds, as Octez does for `run_code`: tickets and big maps may be written out. */
function* runGiven(scratch: Scratch, fields: Fields, trace?: Trace): Job<Ran> {
  const balance = fields["balance"] === undefined ? 4_000_000_000_000n : amount(fields["balance"], "balance");
  const { frame, execution } = frameFor(scratch, fields, addressIn(fields, "self", DUMMY_CONTRACT), balance);
  const { gas } = execution;
  const code = expandConstants(scratch.context, gas, michelineField(fields["script"], "script"));
  yield* readLiteralPoints(code, gas);
  const script = parseScript(code, gas, { isExpanded: true });
  const written = michelineField(fields["storage"], "storage");
  const before = yield* readAs(script.storage, written, "storage", execution);
  const entrypoint = text(fields["entrypoint"], "default");
  gas.spend(searchCost(script.parameter, entrypoint));
  const found = isEntrypointName(entrypoint)
    ? findEntrypoint(script.parameter, script.entrypoints, entrypoint)
    : undefined;
  if (!found)
    throw new MichelsonError(
      badParameter(frame.self),
      permanent("michelson_v1.no_such_entrypoint", { entrypoint }),
    );
  const given = yield* readAs(found.type, michelineField(fields["input"], "input"), "input", execution);
  const argument = wrapArgument(found.path, given);
  gas.spend(collectCost(script.parameter, argument) + collectCost(script.storage, before));
  const result = yield* runScript(script, frame, argument, before, trace);
  const kept = keepBigMaps(execution, script.storage, before, result.storage);
  return {
    execution,
    script,
    storage: kept.storage,
    diff: kept.diff,
    operations: result.operations,
    form: formOf(fields),
  };
}

/** Reads storage or argument of a request. @throws MichelsonError as the protocol describes them */
function* readAs(t: Type, node: Micheline, what: "storage" | "input", execution: Execution): Job<Value> {
  const rights = { allowTickets: true, allowBigMapIds: true, legacy: what === "storage" };
  return yield* tracedJob(
    () =>
      what === "input"
        ? badParameter(DUMMY_CONTRACT)
        : permanent("michelson_v1.ill_typed_data", {
            expected_type: plainType(t),
            ill_typed_expression: node,
          }),
    readValue(t, node, dataScope(execution, rights)),
  );
}

const badParameter = (contract: string): ProtocolErrorFields =>
  permanent("michelson_v1.bad_contract_parameter", { contract });

function answerOf({ execution, script, storage, diff, operations, form }: Ran): object {
  const written = unparseValue(script.storage, storage, form, execution.gas);
  takeReceipt(execution, written);
  return {
    storage: written,
    operations: operations.map(operationJson),
    ...(diff.length > 0 && { lazy_storage_diff: diff }),
  };
}

function* runCode(scratch: Scratch, fields: Fields): Job<object> {
  return answerOf(yield* runGiven(scratch, fields));
}

/** As `run_code`, with the stack and the gas of each step. */
function* traceCode(scratch: Scratch, fields: Fields): Job<object> {
  const trace = new Trace();
  const ran = yield* runGiven(scratch, fields, trace);
  const steps: object[] = [];
  for (const step of trace.steps) {
    steps.push(stepJson(step, ran));
    if (steps.length % STEPS_IN_ONE_GO === 0) yield;
  }
  return { ...answerOf(ran), trace: steps };
}

/** Steps that are written out before others have their turn. */
const STEPS_IN_ONE_GO = 100;

function stepJson({ location, used, stack, types }: TraceStep, { execution, form }: Ran): object {
  const top = types.head(stack.length);
  const written = top.map((t, i) => {
    const value = unparseValue(t, stack[stack.length - 1 - i]!, form);
    takeReceipt(execution, value);
    return value;
  });
  return { location, gas: gasText(used), stack: written };
}

/** Gas units with three digits behind the point, when there are any. */
const gasText = (milligas: number): string =>
  milligas % 1000 === 0 ? String(milligas / 1000) : (milligas / 1000).toFixed(3);

/** `run_script_view`: a view of the script itself (VIEW). */
function* runScriptView(scratch: Scratch, fields: Fields): Job<object> {
  const { script, storage, balance, address } = yield* contractOf(scratch, fields["contract"]);
  const name = text(fields["view"], "");
  const view = script.views.get(name);
  if (!view) throw new MichelsonError(permanent("viewNotFound", { contract: address, view: name }));
  const input = yield* readValue(
    view.input,
    michelineField(fields["input"], "input"),
    dataScope({ ...scratch, block: scratch.frame, gas: unmetered() }),
  );
  const { frame, execution } = frameFor(scratch, fields, address, balance);
  const result = yield* runView(view, frame, input, storage);
  const data = unparseValue(view.output, result, formOf(fields), frame.gas);
  takeReceipt(execution, data);
  return { data };
}

/** `run_view`: a view in the style of TZIP-4, an entrypoint that calls back with the answer. */
function* runCallbackView(scratch: Scratch, fields: Fields): Job<object> {
  const { script, storage, balance, address } = yield* contractOf(scratch, fields["contract"]);
  const entrypoint = text(fields["entrypoint"], "default");
  const found = findEntrypoint(script.parameter, script.entrypoints, entrypoint);
  if (!found) throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint }));
  const [input, callback] = found.type.prim === "pair" ? found.type.args : [];
  if (!input || callback?.prim !== "contract")
    throw new MichelsonError(
      permanent("illformedViewType", { entrypoint, type: unparseEntrypoint(found.type) }),
    );
  const given = yield* readValue(
    input,
    michelineField(fields["input"], "input"),
    dataScope({ ...scratch, block: scratch.frame, gas: unmetered() }),
  );
  const back = { address: DUMMY_CONTRACT, entrypoint: "default" };
  const argument: Value = { left: given, right: back };
  const { frame } = frameFor(scratch, fields, address, balance);
  const { operations } = yield* runScript(script, frame, wrapArgument(found.path, argument), storage);
  const where = { entrypoint, callback: DUMMY_CONTRACT };
  const [answer] = operations;
  if (!answer) throw new MichelsonError(permanent("viewNeverReturns", where));
  if (operations.length > 1 || answer.kind !== "transaction" || answer.destination !== DUMMY_CONTRACT)
    throw new MichelsonError(permanent("viewUnexpectedReturn", where));
  return { data: unparseValue(answer.type, answer.argument, formOf(fields), frame.gas) };
}

/** The gas that a request gives, if it does: without a limit the protocol does not account for it. */
function optionalGas(fields: Fields): GasMeter | undefined {
  return fields["gas"] === undefined ? undefined : gasOf(fields);
}

const gasLeft = (gas: GasMeter | undefined): string => (gas ? gasText(gas.left) : "unaccounted");

/** Types of the stack before and after each instruction, and the gas that is left. The newest comes first. */
function* typecheckCode({ context }: Scratch, fields: Fields): Job<object> {
  const gas = optionalGas(fields);
  const meter = gas ?? gasOf(fields);
  const types: object[] = [];
  const typesOf = (stack: StackType): readonly Micheline[] => stack.head(stack.size).map(plainType);
  const log: TypeLog = (location, before, after) =>
    void types.push({ location, stack_before: typesOf(before), stack_after: typesOf(after) });
  const code = expandConstants(context, meter, michelineField(fields["program"], "program"));
  yield* readLiteralPoints(code, meter);
  typecheckScript(code, meter, fields["legacy"] === true, fields["show_types"] === false ? undefined : log);
  return { type_map: types.reverse(), gas: gasLeft(gas) };
}

export function addScriptRoutes(rpc: Rpc, chain: Chain): void {
  const script = (path: string, answer: (scratch: Scratch, fields: Fields) => object | Job<object>): void =>
    rpc.post(`/chains/:chain/blocks/:block/helpers/scripts${path}`, (call) => {
      const block = blockOf(chain, call);
      const fields = fieldsOf(call.body, "body");
      const unknown = unknownPrimitive(chain.protocol, fields);
      if (unknown !== undefined)
        throw new MalformedJson("body", `primitives of ${chain.protocol.name}, not ${unknown}`, call.body);
      return chain.trials.tryOut(function* () {
        const { frame } = chain.trials;
        const layer = new Layer(chain.stateAt(block));
        const answered = answer(
          {
            context: writeContext(layer),
            frame: {
              ...frame,
              level: block.level,
              timestamp: block === chain.head ? frame.timestamp : block.timestamp,
            },
          },
          fields,
        );
        return Symbol.iterator in answered ? yield* answered : answered;
      }, call);
    });

  script("/run_code", runCode);
  script("/trace_code", traceCode);
  script("/run_script_view", runScriptView);
  script("/run_view", runCallbackView);
  script("/pack_data", function* (scratch, fields) {
    const packed = parseType(michelineField(fields["type"], "type"));
    const value = yield* readValue(
      packed,
      michelineField(fields["data"], "data"),
      dataScope({ ...scratch, block: scratch.frame, gas: unmetered() }),
    );
    return { packed: toHex(packValue(packed, value)), gas: "unaccounted" };
  });
  script("/normalize_data", function* (scratch, fields) {
    const t = parseType(michelineField(fields["type"], "type"));
    const value = yield* readValue(
      t,
      michelineField(fields["data"], "data"),
      dataScope(
        { ...scratch, block: scratch.frame, gas: unmetered() },
        { allowTickets: true, allowBigMapIds: true },
      ),
    );
    return { normalized: unparseValue(t, value, formOf(fields)) };
  });
  script("/normalize_type", (_scratch, fields) => ({
    normalized: binaryType(parseType(michelineField(fields["type"], "type"))),
  }));
  script("/normalize_script", function* (scratch, fields) {
    const gas = gasOf(fields);
    const code = expandConstants(scratch.context, gas, michelineField(fields["script"], "script"));
    yield* readLiteralPoints(code, gas);
    return { normalized: rewriteCode(code, formOf(fields), gas, lambdaInData) };
  });
  script("/typecheck_data", function* (scratch, fields) {
    const gas = optionalGas(fields);
    const meter = gas ?? unmetered();
    const written = michelineField(fields["type"], "type");
    const t = traced(
      () => permanent("michelson_v1.ill_formed_type", { ill_formed_expression: written, location: 0 }),
      () => parseType(written, { rules: TYPE_RULES.passable, gas: meter }),
    );
    const data = michelineField(fields["data"], "data");
    const rights = { legacy: fields["legacy"] === true, allowTickets: true, allowBigMapIds: true };
    yield* tracedJob(
      () =>
        permanent("michelson_v1.ill_typed_data", {
          expected_type: plainType(t),
          ill_typed_expression: data,
        }),
      readValue(t, data, dataScope({ ...scratch, block: scratch.frame, gas: meter }, rights)),
    );
    return { gas: gasLeft(gas) };
  });
  script("/typecheck_code", typecheckCode);
  script("/entrypoint", function* (scratch, fields) {
    const gas = gasOf(fields);
    const code = expandConstants(scratch.context, gas, michelineField(fields["script"], "script"));
    yield* readLiteralPoints(code, unmetered());
    const { parameter, entrypoints } = parseScript(code);
    const entrypoint = text(fields["entrypoint"], "default");
    const found = findEntrypoint(parameter, entrypoints, entrypoint);
    if (!found) throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint }));
    return { entrypoint_type: unparseEntrypoint(found.type) };
  });
}
