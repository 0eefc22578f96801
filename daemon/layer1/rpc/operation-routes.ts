// RPCs for operations: simulate, preapply, forge, parse, inject, mempool.
import { signatureOf } from "../../tezos/address.ts";
import { encodeBase58 } from "../../tezos/base58.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import { MalformedBytes } from "../../tezos/byte-reader.ts";
import { fromHex, toHex } from "../../tezos/hex.ts";
import { fieldsOf, listField, MalformedJson } from "../../tezos/json-fields.ts";
import { decodeUnsigned, forgeOperation } from "../../tezos/operation-codec.ts";
import { parseForgeable, parseOperationJson } from "../../tezos/operation-json.ts";
import { MAX_OPERATION_BYTES } from "../../tezos/parameters.ts";
import { unknownPrimitive } from "../../tezos/protocols.ts";
import type { Chain } from "../chain/chain.ts";
import { contentsJson } from "../chain/kept-operation.ts";
import type { Accepted } from "../chain/next-block.ts";
import type { Producer } from "../chain/producer.ts";
import { temporary } from "../michelson/michelson-error.ts";
import { OperationRefused } from "../operations/operation-refused.ts";
import type { Asker } from "../turns.ts";
import { blockOf, checkChain } from "./block-routes.ts";
import { type Rpc } from "./rpc-server.ts";

const MEMPOOL_FILTER = {
  minimal_fees: "100",
  minimal_nanotez_per_gas_unit: ["100", "1"],
  minimal_nanotez_per_byte: ["1000", "1"],
  replace_by_fee_factor: ["21", "20"],
  max_operations: 10_000,
  max_total_bytes: 10_000_000,
};

/** As Octez, which has this limit for injection only: what is simulated or preapplied may be longer. @throws OperationRefused */
function checkSize(bytes: Uint8Array): void {
  if (bytes.length <= MAX_OPERATION_BYTES) return;
  const hash = encodeBase58("operationHash", blake2b256(bytes));
  const msg = `Invalid operation ${hash}: Oversized operation (size: ${bytes.length}, max: ${MAX_OPERATION_BYTES}).`;
  throw new OperationRefused([temporary("failure", { msg })], true);
}

export function addOperationRoutes(rpc: Rpc, chain: Chain, producer: Producer): void {
  const { hash } = chain.protocol;
  const helper = (path: string, answer: (body: unknown, asker: Asker) => unknown): void =>
    rpc.post(`/chains/:chain/blocks/:block/helpers${path}`, (call) => {
      blockOf(chain, call);
      const unknown = unknownPrimitive(chain.protocol, call.body);
      if (unknown !== undefined)
        throw new MalformedJson("body", `primitives of ${chain.protocol.name}, not ${unknown}`, call.body);
      return answer(call.body, call);
    });

  const simulate = async (body: unknown, asker: Asker): Promise<object> => {
    const operation = parseOperationJson(fieldsOf(body, "body")["operation"]);
    return { contents: contentsJson(await chain.trials.simulate(operation, asker)) };
  };
  helper("/scripts/simulate_operation", simulate);
  helper("/scripts/run_operation", simulate);

  helper("/preapply/operations", async (body, asker) => {
    const list = listField(body, "body", "a list of operations", { least: 1, most: 100 });
    const operations = list.map((json, i) => {
      const { protocol } = fieldsOf(json, `[${i}]`);
      if (protocol !== hash) throw new MalformedJson(`[${i}].protocol`, hash, protocol);
      return parseOperationJson(json, `[${i}]`);
    });
    const results = await chain.trials.preapply(operations, asker);
    return results.map((contents, i) => ({
      contents: contentsJson(contents),
      signature: operations[i]!.signatureText,
    }));
  });

  helper("/forge/operations", (body) => {
    const { branch, contents } = parseForgeable(body);
    return toHex(forgeOperation(branch, contents));
  });

  helper("/parse/operations", (body) => {
    const { operations } = fieldsOf(body, "body");
    return listField(operations, "operations", "a list of {branch, data}").map((json, i) => {
      const { branch, data } = fieldsOf(json, `operations[${i}]`);
      const bytes = typeof data === "string" ? fromHex(data) : undefined;
      if (!bytes || typeof branch !== "string")
        throw new MalformedJson(`operations[${i}]`, "{branch, data}", json);
      const signature = bytes.subarray(-64);
      const { contents } = decodeUnsigned(
        Buffer.concat([Buffer.from(forgeOperation(branch, [])), bytes.subarray(0, -64)]),
      );
      return { branch, contents, signature: signatureOf(signature) };
    });
  });

  rpc.post("/injection/operation", async ({ body }) => {
    const bytes = typeof body === "string" ? fromHex(body) : undefined;
    if (!bytes) throw new MalformedBytes("expected the hex of a signed operation");
    checkSize(bytes);
    const injected = await chain.inject(bytes);
    await producer.accepted(injected);
    return injected;
  });

  rpc.get("/chains/:chain/mempool/filter", (call) => {
    checkChain(chain, call);
    return MEMPOOL_FILTER;
  });
  rpc.get("/chains/:chain/mempool/pending_operations", (call) => {
    checkChain(chain, call);
    const pending = chain.pending.map((accepted) => pendingJson(accepted, hash));
    return {
      validated: pending,
      applied: pending,
      refused: [],
      outdated: [],
      branch_refused: [],
      branch_delayed: [],
      unprocessed: [],
    };
  });
}

export function pendingJson({ hash, operation }: Accepted, protocol: string): object {
  return {
    hash,
    protocol,
    branch: operation.branch,
    contents: operation.contents,
    signature: signatureOf(operation.signature!),
  };
}
