// RPCs that run scripts outside of operations.
import { type Address, isAddress, isEntrypointName } from "../../tezos/address.ts";
import { type Fields, michelineField } from "../../tezos/json-fields.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import type { Chain } from "../chain/chain.ts";
import type { Job } from "../job.ts";
import { type BigMapDiff, bigMapDiffJson } from "../michelson/big-map-diff.ts";
import { findEntrypoint, searchCost, wrapArgument } from "../michelson/entrypoints.ts";
import { noGasLimit } from "../michelson/gas.ts";
import { type InternalOperation, emittedDiffs } from "../michelson/internal-operation.ts";
import { readLiteralPoints } from "../michelson/literal-points.ts";
import { MichelsonError, permanent, traceJobErrors } from "../michelson/michelson-error.ts";
import { readValue } from "../michelson/parse-value.ts";
import { runScript, runView } from "../michelson/run-script.ts";
import { type Script, checkedScript } from "../michelson/script.ts";
import { Trace, type TraceStep } from "../michelson/trace.ts";
import { type Type, plainType, unparseEntrypoint } from "../michelson/type.ts";
import { type Form, unparseWithRests } from "../michelson/unparse-value.ts";
import { type Value, pair } from "../michelson/value.ts";
import { operationJson } from "../operations/apply-internal.ts";
import { badContractParameter } from "../operations/apply-transaction.ts";
import { type Execution, countInReceipt } from "../operations/execution.ts";
import { extractBigMaps } from "../operations/extract-big-maps.ts";
import { expandConstants } from "../operations/global-constants.ts";
import { payForCollecting } from "../operations/lazy-storage.ts";
import { dataScope } from "../operations/read-data.ts";
import { unlessEmpty } from "../operations/receipt.ts";
import { type Rpc } from "./rpc-server.ts";
import {
  type Scratch,
  DUMMY_CONTRACT,
  text,
  amount,
  addressIn,
  frameFor,
  formOf,
  gasOf,
  gasText,
  scriptRoute,
} from "./script-request.ts";

interface StoredScript {
  readonly script: Script;
  readonly storage: Value;
  readonly balance: bigint;
  readonly address: Address;
}

function* contractOf(scratch: Scratch, address: unknown): Job<StoredScript> {
  const known = typeof address === "string" && isAddress(address) ? address : undefined;
  const account = known === undefined ? undefined : scratch.context.account(known);
  if (known === undefined || !account?.contract)
    throw new MichelsonError(permanent("viewedContractHasNoScript"));
  yield* readLiteralPoints(account.contract.code, noGasLimit());
  return {
    script: yield* checkedScript(account.contract.code),
    storage: account.contract.storage,
    balance: account.balance,
    address: known,
  };
}

interface RunResult {
  readonly execution: Execution;
  readonly script: Script;
  readonly storage: Value;
  readonly diffs: readonly BigMapDiff[];
  readonly operations: readonly InternalOperation[];
  readonly form: Form;
}

/** Runs the script in the request, as Octez does for `run_code`: storage and input may contain tickets and big-map ids. */
function* runInlineScript(scratch: Scratch, fields: Fields, trace?: Trace): Job<RunResult> {
  const balance = fields["balance"] === undefined ? 4_000_000_000_000n : amount(fields["balance"], "balance");
  const self = addressIn(fields, "self", DUMMY_CONTRACT);
  const isTraced = trace !== undefined;
  const { frame, execution } = frameFor(scratch, fields, self, balance, isTraced);
  const { gas } = execution;
  const code = expandConstants(scratch.context, gas, michelineField(fields["script"], "script"));
  yield* readLiteralPoints(code, gas);
  const script = yield* checkedScript(code, gas, { isExpanded: true, isTraced });
  const written = michelineField(fields["storage"], "storage");
  const before = yield* readAs(script.storage, written, "storage", execution);
  const entrypoint = text(fields["entrypoint"], "default");
  gas.spend(searchCost(script.parameter, entrypoint));
  const found = isEntrypointName(entrypoint)
    ? findEntrypoint(script.parameter, script.entrypoints, entrypoint)
    : undefined;
  if (!found)
    throw new MichelsonError(
      badContractParameter(frame.self),
      permanent("michelson_v1.no_such_entrypoint", { entrypoint }),
    );
  const given = yield* readAs(found.type, michelineField(fields["input"], "input"), "input", execution);
  const argument = wrapArgument(found.path, given);
  yield* payForCollecting(script.parameter, argument, gas);
  yield* payForCollecting(script.storage, before, gas);
  const result = yield* runScript(script, frame, argument, before, trace);
  const kept = yield* extractBigMaps(execution, script.storage, result.storage, {
    for: "storage",
    replaces: before,
  });
  return {
    execution,
    script,
    storage: kept.value,
    diffs: [...emittedDiffs(result.operations), ...kept.diffs],
    operations: result.operations,
    form: formOf(fields),
  };
}

/** Reads the storage or input of a request. @throws MichelsonError as the protocol reports them */
function* readAs(t: Type, node: Micheline, what: "storage" | "input", execution: Execution): Job<Value> {
  const rights = { allowTickets: true, allowBigMapIds: true, legacy: what === "storage" };
  return yield* traceJobErrors(
    () =>
      what === "input"
        ? badContractParameter(DUMMY_CONTRACT)
        : permanent("michelson_v1.ill_typed_data", {
            expected_type: plainType(t),
            ill_typed_expression: node,
          }),
    readValue(t, node, dataScope(execution, rights)),
  );
}

function* resultJson({ execution, script, storage, diffs, operations, form }: RunResult): Job<object> {
  const written = yield* unparseWithRests(script.storage, storage, form, execution.gas);
  countInReceipt(execution, written);
  return {
    storage: written,
    operations: operations.map(operationJson),
    ...unlessEmpty("lazy_storage_diff", diffs.map(bigMapDiffJson)),
  };
}

function* runCode(scratch: Scratch, fields: Fields): Job<object> {
  return yield* resultJson(yield* runInlineScript(scratch, fields));
}

/** As `run_code`, with stack and gas of each step. */
function* traceCode(scratch: Scratch, fields: Fields): Job<object> {
  const trace = new Trace();
  const ran = yield* runInlineScript(scratch, fields, trace);
  const steps: object[] = [];
  for (const step of trace.steps) {
    steps.push(yield* stepJson(step, ran));
    if (steps.length % STEPS_IN_ONE_GO === 0) yield;
  }
  return { ...(yield* resultJson(ran)), trace: steps };
}

/** Steps serialized before others get a turn. */
const STEPS_IN_ONE_GO = 100;

function* stepJson({ location, used, stack, types }: TraceStep, { execution, form }: RunResult): Job<object> {
  const written: Micheline[] = [];
  for (const [i, t] of types.head(stack.length).entries()) {
    const value = yield* unparseWithRests(t, stack[stack.length - 1 - i]!, form);
    countInReceipt(execution, value);
    written.push(value);
  }
  return { location, gas: gasText(used), stack: written };
}

/** `run_script_view`: runs a view of the script (VIEW). */
function* runScriptView(scratch: Scratch, fields: Fields): Job<object> {
  const { script, storage, balance, address } = yield* contractOf(scratch, fields["contract"]);
  const name = text(fields["view"], "");
  const view = script.views.get(name);
  if (!view) throw new MichelsonError(permanent("viewNotFound", { contract: address, view: name }));
  const input = yield* readValue(
    view.input,
    michelineField(fields["input"], "input"),
    dataScope({ ...scratch, block: scratch.frame, gas: noGasLimit() }),
  );
  const { frame, execution } = frameFor(scratch, fields, address, balance);
  const result = yield* runView(view, frame, input, storage);
  const data = yield* unparseWithRests(view.output, result, formOf(fields), frame.gas);
  countInReceipt(execution, data);
  return { data };
}

/** `run_view`: runs a TZIP-4 view, an entrypoint that calls back with the result. */
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
    dataScope({ ...scratch, block: scratch.frame, gas: noGasLimit() }),
  );
  const back = { address: DUMMY_CONTRACT, entrypoint: "default" };
  const argument = pair(given, back);
  const { frame } = frameFor(scratch, fields, address, balance);
  const { operations } = yield* runScript(script, frame, wrapArgument(found.path, argument), storage);
  const where = { entrypoint, callback: DUMMY_CONTRACT };
  const [answer] = operations;
  if (!answer) throw new MichelsonError(permanent("viewNeverReturns", where));
  if (operations.length > 1 || answer.kind !== "transaction" || answer.destination !== DUMMY_CONTRACT)
    throw new MichelsonError(permanent("viewUnexpectedReturn", where));
  return { data: yield* unparseWithRests(answer.type, answer.argument, formOf(fields), frame.gas) };
}

export function addScriptRoutes(rpc: Rpc, chain: Chain): void {
  const script = scriptRoute(rpc, chain);
  script("/run_code", runCode);
  script("/trace_code", traceCode);
  script("/run_script_view", runScriptView);
  script("/run_view", runCallbackView);
  script("/entrypoint", function* (scratch, fields) {
    const gas = gasOf(fields);
    const code = expandConstants(scratch.context, gas, michelineField(fields["script"], "script"));
    yield* readLiteralPoints(code, noGasLimit());
    const { parameter, entrypoints } = yield* checkedScript(code, undefined, { isExpanded: true });
    const entrypoint = text(fields["entrypoint"], "default");
    const found = findEntrypoint(parameter, entrypoints, entrypoint);
    if (!found) throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint }));
    return { entrypoint_type: unparseEntrypoint(found.type) };
  });
}
