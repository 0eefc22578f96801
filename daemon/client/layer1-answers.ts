// Decodes answers of a Tezos RPC. Each throws MalformedJson for another shape.
import {
  booleanField,
  fieldsOf,
  listField,
  naturalField,
  nullableField,
  optionalField,
  textField,
  textsField,
} from "../tezos/json-fields.ts";
import { type RpcError, rpcErrorsOf } from "./layer1-errors.ts";

export interface OperationResult {
  readonly status: string;
  readonly consumed_milligas: bigint;
  readonly paid_storage_size_diff: bigint;
  readonly allocated_destination_contract: boolean;
  readonly originated_contracts: readonly string[];
  readonly errors: readonly RpcError[];
}

/** Results of one content: its own, then those of its internal operations. */
export type ContentResults = readonly [OperationResult, ...OperationResult[]];

export const textOf = (json: unknown): string => textField(json, "body");

export const nullableTextOf = (json: unknown): string | null =>
  nullableField(json, (value) => textField(value, "body"));

export const amountOf = (json: unknown): bigint => BigInt(naturalField(json, "body"));

export const counterOf = (json: unknown): bigint =>
  BigInt(naturalField(fieldsOf(json, "body")["counter"], "counter"));

export const blockHashOf = (json: unknown): string => textField(fieldsOf(json, "body")["hash"], "hash");

/** Hashes of a block's operations, by validation pass. */
export const operationHashesOf = (json: unknown): readonly (readonly string[])[] =>
  listField(json, "body", "a list of passes").map((pass, i) => textsField(pass, `[${i}]`));

/** Results of a simulated or included operation, by content. */
export function contentResultsOf(json: unknown): ContentResults[] {
  const { contents } = fieldsOf(json, "body");
  return listField(contents, "contents", "a list of contents").map((content, i) => {
    const at = `contents[${i}].metadata`;
    const metadata = fieldsOf(fieldsOf(content, `contents[${i}]`)["metadata"], at);
    const internal = listField(
      metadata["internal_operation_results"] ?? [],
      `${at}.internal_operation_results`,
      "a list of results",
    ).map((one, j) => {
      const place = `${at}.internal_operation_results[${j}]`;
      return resultOf(fieldsOf(one, place)["result"], `${place}.result`);
    });
    return [resultOf(metadata["operation_result"], `${at}.operation_result`), ...internal];
  });
}

function resultOf(json: unknown, at: string): OperationResult {
  const result = fieldsOf(json, at);
  const natural = (name: string) =>
    BigInt(optionalField(result[name], (value) => naturalField(value, `${at}.${name}`)) ?? 0);
  return {
    status: textField(result["status"], `${at}.status`),
    consumed_milligas: natural("consumed_milligas"),
    paid_storage_size_diff: natural("paid_storage_size_diff"),
    allocated_destination_contract: booleanField(
      result["allocated_destination_contract"] ?? false,
      `${at}.allocated_destination_contract`,
    ),
    originated_contracts: textsField(result["originated_contracts"] ?? [], `${at}.originated_contracts`),
    errors: rpcErrorsOf(result["errors"] ?? [], `${at}.errors`),
  };
}
