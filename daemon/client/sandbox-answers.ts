// Decodes sandboxd's answers. Each throws MalformedJson for another shape.
import type {
  AccountRow,
  HealthReport,
  Layer1OperationReport,
  SnapshotList,
  SnapshotReport,
} from "../protocol/sandbox-api.ts";
import { SNAPSHOT_ID } from "../protocol/snapshot-name.ts";
import {
  fieldsOf,
  levelField,
  listField,
  nullableField,
  numberField,
  textField,
  textsField,
} from "../tezos/json-fields.ts";

/** Recognises a sandbox by fields that no other server has. */
export function healthReportOf(json: unknown): HealthReport {
  const report = fieldsOf(json, "body");
  numberField(report["pid"], "pid");
  listField(report["parts"], "parts", "a list of parts");
  return report as unknown as HealthReport;
}

/** Where layer 1 and runtime listen, `<host>:<port>` each. */
export function endpointsOf(json: unknown): { readonly layer1: string; readonly runtime: string } {
  const config = fieldsOf(json, "body");
  const { rpc_endpoint } = fieldsOf(config["layer1_node"], "layer1_node");
  const { endpoint } = fieldsOf(config["runtime_node"], "runtime_node");
  return {
    layer1: textField(rpc_endpoint, "layer1_node.rpc_endpoint"),
    runtime: textField(endpoint, "runtime_node.endpoint"),
  };
}

export function accountsOf(json: unknown): AccountRow[] {
  const { accounts } = fieldsOf(json, "body");
  return listField(accounts, "accounts", "a list of accounts").map((row, i) => {
    const at = `accounts[${i}]`;
    const fields = fieldsOf(row, at);
    const mutez = (name: string) =>
      textField(fields[name], `${at}.${name}`, "mutez", (text) => /^\d{1,78}$/.test(text));
    return {
      label: textField(fields["label"], `${at}.label`),
      address: textField(fields["address"], `${at}.address`),
      layer1_balance: mutez("layer1_balance"),
      runtime_balance: mutez("runtime_balance"),
    };
  });
}

export function layer1ReportOf(json: unknown): Layer1OperationReport {
  const report = fieldsOf(json, "body");
  return {
    hash: textField(report["hash"], "hash"),
    level: levelField(report["level"], "level"),
    fee: textField(report["fee"], "fee"),
    contracts: [...textsField(report["contracts"], "contracts")],
  };
}

export function snapshotOf(json: unknown, at = "body"): SnapshotReport {
  const { id, level } = fieldsOf(json, at);
  const isId = (text: string): boolean => SNAPSHOT_ID.test(text);
  return {
    id: textField(id, `${at}.id`, "the id of a snapshot", isId),
    level: levelField(level, `${at}.level`),
  };
}

export function snapshotsOf(json: unknown): SnapshotList["snapshots"] {
  const { snapshots } = fieldsOf(json, "body");
  return listField(snapshots, "snapshots", "a list of snapshots").map((one, i) => {
    const at = `snapshots[${i}]`;
    return {
      ...snapshotOf(one, at),
      takenAt: textField(fieldsOf(one, at)["takenAt"], `${at}.takenAt`),
    };
  });
}

export const movedValuesOf = (json: unknown): number =>
  numberField(fieldsOf(json, "body")["values"], "values");

export const replacedValueOf = (json: unknown): string | null =>
  nullableField(fieldsOf(json, "body")["before"], (text) => textField(text, "before"));
