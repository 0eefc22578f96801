// RPCs that run scripts and convert data, apart from any operation.
import { MAX_GAS_PER_OPERATION, MAX_STORAGE_PER_OPERATION } from "../../tezos/parameters.ts";
import { toHex } from "../../tezos/hex.ts";
import { type Context, writeContext } from "../state/context.ts";
import type { Chain } from "../chain/chain.ts";
import { Layer } from "../state/store.ts";
import type { Job } from "../job.ts";
import { addressBytes, isEntrypointName } from "../../tezos/address.ts";
import { findEntrypoint, wrapArgument } from "../michelson/entrypoints.ts";
import { GasMeter } from "../michelson/gas.ts";
import type { Frame } from "../michelson/instruction.ts";
import { MichelsonError, permanent, temporary } from "../michelson/michelson-error.ts";
import { packValue } from "../michelson/pack.ts";
import { parseValue } from "../michelson/parse-value.ts";
import { runScript, runView } from "../michelson/run-script.ts";
import { type Script, parseScript } from "../michelson/script.ts";
import { parseType, type, unparseEntrypoint, unparseType } from "../michelson/type.ts";
import { type Form, unparseValue } from "../michelson/unparse-value.ts";
import type { Value } from "../michelson/value.ts";
import { type BlockFrame, type Execution, newCounters, takeReceipt } from "../operations/execution.ts";
import { keepBigMaps } from "../operations/big-map-storage.ts";
import { MalformedJson, fieldsOf, michelineField } from "../../tezos/operation-json.ts";
import { dataScope, worldOf } from "../operations/world.ts";
import { blockOf } from "./block-routes.ts";
import { type Rpc } from "./rpc-server.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Scratch {
  readonly context: Context;
  readonly frame: BlockFrame;
}

const MOST_GAS = Number(MAX_GAS_PER_OPERATION);
/** Who calls when the request does not say: the address of an all-zero key hash. */
const NOBODY = "tz1Ke2h7sDdakHJQh8WX4Z372du1KChsksyU";
const DUMMY_CONTRACT = "KT18amZmM5W7qDWVt2pH6uj7sCEd3kbzLrHT";

const text = (value: unknown, fallback: string): string => (typeof value === "string" ? value : fallback);

/** An address of the request. Scripts pack and compare it, so it is one. */
function address(fields: Fields, name: string, fallback: string): string {
  const value = text(fields[name], fallback);
  if (!addressBytes(value)) throw new MalformedJson(name, "an address");
  return value;
}

function levelOf(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31) return value;
  throw new MalformedJson("level", "a level");
}

function amount(value: unknown, at: string): bigint {
  if (value === undefined) return 0n;
  if (typeof value === "string" && /^\d{1,19}$/.test(value)) return BigInt(value);
  throw new MalformedJson(at, "a natural number as text");
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
  self: string,
  balance: bigint,
): { readonly frame: Frame; readonly execution: Execution } {
  const source = address(fields, "source", NOBODY);
  const payer = address(fields, "payer", source);
  const gas = gasOf(fields);
  const now =
    typeof fields["now"] === "string" && /^\d{1,12}$/.test(fields["now"])
      ? BigInt(fields["now"])
      : scratch.frame.timestamp;
  const level = fields["level"] === undefined ? scratch.frame.level : levelOf(fields["level"]);
  const execution = {
    context: scratch.context,
    block: { ...scratch.frame, timestamp: now, level },
    operationHash: new Uint8Array(32),
    payer: source,
    gas,
    counters: newCounters(),
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

function contractOf(
  scratch: Scratch,
  address: unknown,
): { readonly script: Script; readonly storage: Value; readonly balance: bigint; readonly address: string } {
  const account = typeof address === "string" ? scratch.context.account(address) : undefined;
  if (!account?.contract)
    throw new MichelsonError(temporary("contract.non_existing_contract", { contract: String(address) }));
  return {
    script: parseScript(account.contract.code),
    storage: account.contract.storage,
    balance: account.balance,
    address: address as string,
  };
}

function* runCode(scratch: Scratch, fields: Fields): Job<object> {
  const script = parseScript(michelineField(fields["script"], "script"));
  const scope = dataScope({ context: scratch.context, block: scratch.frame });
  const entrypoint = text(fields["entrypoint"], "default");
  const found = isEntrypointName(entrypoint)
    ? findEntrypoint(script.parameter, script.entrypoints, entrypoint)
    : undefined;
  if (!found) throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint }));
  const before = parseValue(script.storage, michelineField(fields["storage"], "storage"), scope);
  const input = parseValue(found.type, michelineField(fields["input"], "input"), scope);
  const balance = fields["balance"] === undefined ? 4_000_000_000_000n : amount(fields["balance"], "balance");
  const { frame, execution } = frameFor(scratch, fields, address(fields, "self", DUMMY_CONTRACT), balance);
  const result = yield* runScript(script, frame, wrapArgument(found.path, input), before);
  const kept = keepBigMaps(execution, script.storage, before, result.storage);
  const operations = result.operations.map((operation) => ({
    kind: operation.kind,
    source: operation.source,
    nonce: operation.nonce,
    ...(operation.kind === "transaction" && {
      amount: operation.amount.toString(),
      destination: operation.destination,
      parameters: {
        entrypoint: operation.entrypoint,
        value: unparseValue(operation.type, operation.argument, "readable", frame.gas),
      },
    }),
  }));
  const storage = unparseValue(script.storage, kept.storage, formOf(fields), frame.gas);
  takeReceipt(execution, storage);
  return {
    storage,
    operations,
    ...(kept.diff.length > 0 && { lazy_storage_diff: kept.diff }),
  };
}

/** `run_script_view`: a view of the script itself (VIEW). */
function* runScriptView(scratch: Scratch, fields: Fields): Job<object> {
  const { script, storage, balance, address } = contractOf(scratch, fields["contract"]);
  const name = text(fields["view"], "");
  const view = script.views.get(name);
  if (!view)
    throw new MichelsonError(permanent("michelson_v1.view_not_found", { contract: address, view: name }));
  const input = parseValue(
    view.input,
    michelineField(fields["input"], "input"),
    dataScope({ context: scratch.context, block: scratch.frame }),
  );
  const { frame, execution } = frameFor(scratch, fields, address, balance);
  const result = yield* runView(view, frame, input, storage);
  const data = unparseValue(view.output, result, formOf(fields), frame.gas);
  takeReceipt(execution, data);
  return { data };
}

/** `run_view`: a view in the style of TZIP-4, an entrypoint that calls back with the answer. */
function* runCallbackView(scratch: Scratch, fields: Fields): Job<object> {
  const { script, storage, balance, address } = contractOf(scratch, fields["contract"]);
  const entrypoint = text(fields["entrypoint"], "default");
  const found = findEntrypoint(script.parameter, script.entrypoints, entrypoint);
  const [input, callback] = found?.type.prim === "pair" ? found.type.args : [type("unit"), found?.type];
  if (!found || !input || callback?.prim !== "contract") {
    throw new MichelsonError(
      permanent("viewed_contract_has_no_script_or_is_no_view", {
        entrypoint,
        ...(found && { type: unparseType(found.type) }),
      }),
    );
  }
  const given = parseValue(
    input,
    michelineField(fields["input"], "input"),
    dataScope({ context: scratch.context, block: scratch.frame }),
  );
  const back = { address: DUMMY_CONTRACT, entrypoint: "default" };
  const argument: Value = found.type.prim === "pair" ? { left: given, right: back } : back;
  const { frame } = frameFor(scratch, fields, address, balance);
  const { operations } = yield* runScript(script, frame, wrapArgument(found.path, argument), storage);
  const [answer] = operations;
  if (operations.length !== 1 || answer?.kind !== "transaction" || answer.destination !== DUMMY_CONTRACT) {
    throw new MichelsonError(permanent("view_unexpected_return", { entrypoint }));
  }
  return { data: unparseValue(answer.type, answer.argument, formOf(fields), frame.gas) };
}

export function addScriptRoutes(rpc: Rpc, chain: Chain): void {
  const script = (path: string, answer: (scratch: Scratch, fields: Fields) => object | Job<object>): void =>
    rpc.post(`/chains/:chain/blocks/:block/helpers/scripts${path}`, (call) => {
      const block = blockOf(chain, call);
      const fields = fieldsOf(call.body, "body");
      return chain.tryOut(function* () {
        const { frame } = chain;
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
  script("/trace_code", function* (scratch, fields) {
    return { ...(yield* runCode(scratch, fields)), trace: [] };
  });
  script("/run_script_view", runScriptView);
  script("/run_view", runCallbackView);
  script("/pack_data", (scratch, fields) => {
    const packed = parseType(michelineField(fields["type"], "type"));
    const value = parseValue(
      packed,
      michelineField(fields["data"], "data"),
      dataScope({ context: scratch.context, block: scratch.frame }),
    );
    return { packed: toHex(packValue(packed, value)), gas: "unaccounted" };
  });
  script("/normalize_data", (scratch, fields) => {
    const t = parseType(michelineField(fields["type"], "type"));
    const value = parseValue(
      t,
      michelineField(fields["data"], "data"),
      dataScope({ context: scratch.context, block: scratch.frame }, true),
    );
    return { normalized: unparseValue(t, value, formOf(fields)) };
  });
  script("/normalize_type", (_scratch, fields) => ({
    normalized: unparseType(parseType(michelineField(fields["type"], "type"))),
  }));
  script("/typecheck_data", (scratch, fields) => {
    parseValue(
      parseType(michelineField(fields["type"], "type")),
      michelineField(fields["data"], "data"),
      dataScope({ context: scratch.context, block: scratch.frame }),
    );
    return { gas: "unaccounted" };
  });
  script("/typecheck_code", (_scratch, fields) => {
    parseScript(michelineField(fields["program"], "program"));
    return { type_map: [], gas: "unaccounted" };
  });
  script("/entrypoint", (_scratch, fields) => {
    const { parameter, entrypoints } = parseScript(michelineField(fields["script"], "script"));
    const entrypoint = text(fields["entrypoint"], "default");
    const found = findEntrypoint(parameter, entrypoints, entrypoint);
    if (!found) throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint }));
    return { entrypoint_type: unparseEntrypoint(found.type) };
  });
}
