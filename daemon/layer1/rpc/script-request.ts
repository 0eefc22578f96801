// Shared by the script RPCs: the state that they work on, and the request fields for addresses, amounts and gas.
import { type Address, addressOf, chainIdBytes, isAddress, NULL_ADDRESS } from "../../tezos/address.ts";
import { type Fields, fieldsOf, levelField, MalformedJson, textField } from "../../tezos/json-fields.ts";
import { MAX_GAS_PER_OPERATION, MAX_MUTEZ, MAX_STORAGE_PER_OPERATION } from "../../tezos/parameters.ts";
import { unknownPrimitive } from "../../tezos/protocols.ts";
import type { Chain } from "../chain/chain.ts";
import type { Job } from "../job.ts";
import { GasMeter } from "../michelson/gas.ts";
import type { Frame } from "../michelson/instruction.ts";
import { type Form } from "../michelson/unparse-value.ts";
import { type BlockFrame, type Execution, newCounters } from "../operations/execution.ts";
import { RunningWorld } from "../operations/world.ts";
import { type Context, writeContext } from "../state/context.ts";
import { Layer } from "../state/store.ts";
import { blockOf } from "./block-routes.ts";
import { type Rpc } from "./rpc-server.ts";

export interface Scratch {
  readonly context: Context;
  readonly frame: BlockFrame;
}

const MOST_GAS = Number(MAX_GAS_PER_OPERATION);
/** Default contract address: the first one that an all-zero operation would originate. */
export const DUMMY_CONTRACT = addressOf("KT1BEqzn5Wx8uJrZNvuS9DVHmLvG9td3fDLi");

export const text = (value: unknown, fallback: string): string =>
  typeof value === "string" ? value : fallback;

/** An address field of the request. Validated, because scripts pack and compare it. */
export function addressIn(fields: Fields, name: string, fallback: Address): Address {
  return textField(text(fields[name], fallback), name, "an address", isAddress);
}

export function amount(value: unknown, at: string): bigint {
  if (value === undefined) return 0n;
  const isAmount = (digits: string): boolean => /^\d{1,19}$/.test(digits) && BigInt(digits) <= MAX_MUTEZ;
  return BigInt(textField(value, at, `mutez as text, 0 to ${MAX_MUTEZ}`, isAmount));
}

export function gasOf(fields: Fields): GasMeter {
  const limit = fields["gas"];
  const units =
    typeof limit === "string" && /^\d{1,9}$/.test(limit) ? Math.min(Number(limit), MOST_GAS) : MOST_GAS;
  return new GasMeter(units * 1000);
}

export function frameFor(
  scratch: Scratch,
  fields: Fields,
  self: Address,
  balance: bigint,
  isTraced = false,
): { readonly frame: Frame; readonly execution: Execution } {
  const source = addressIn(fields, "source", NULL_ADDRESS);
  const payer = addressIn(fields, "payer", source);
  const gas = gasOf(fields);
  const now =
    typeof fields["now"] === "string" && /^\d{1,12}$/.test(fields["now"])
      ? BigInt(fields["now"])
      : scratch.frame.timestamp;
  const level = fields["level"] === undefined ? scratch.frame.level : levelField(fields["level"], "level");
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
    isTraced,
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
    world: new RunningWorld(execution),
  };
  return { frame, execution };
}

export function formOf(fields: Fields): Form {
  switch (fields["unparsing_mode"]) {
    case "Optimized":
      return "optimized";
    case "Optimized_legacy":
      return "packed";
    default:
      return "readable";
  }
}

/** Gas in units, with three decimals when it is not whole. */
export const gasText = (milligas: number): string =>
  milligas % 1000 === 0 ? String(milligas / 1000) : (milligas / 1000).toFixed(3);

/** The gas limit of a request, if any: without one the protocol reports no remaining gas. */
export function optionalGas(fields: Fields): GasMeter | undefined {
  return fields["gas"] === undefined ? undefined : gasOf(fields);
}

export const gasLeft = (gas: GasMeter | undefined): string => (gas ? gasText(gas.left) : "unaccounted");

/** Adds a route of `helpers/scripts`, which runs as a trial on the state of the block in its path. */
export const scriptRoute =
  (rpc: Rpc, chain: Chain) =>
  (path: string, answer: (scratch: Scratch, fields: Fields) => object | Job<object>): void =>
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
