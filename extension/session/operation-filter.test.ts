import { expect, it } from "vitest";
import { addressesOf, matches } from "./operation-filter.ts";
import type { OperationRecord } from "./operation-history.ts";

const operation = (over: object): OperationRecord => ({
  kind: "operation",
  at: new Date(0),
  data: {
    ...{ hash: "a", operation: "RunFunction", sender: "tz1alice", target: "KT1counter" },
    ...{ success: true, statusCode: 200, failure: null },
    ...over,
  },
});
const call = operation({});
const failedCall = operation({ statusCode: 404 });
const deploy = operation({ operation: "DeployFunction", statusCode: null, target: "KT1new" });
const rejected = operation({ success: false, statusCode: null, target: null, failure: "NoncePassed" });
const deposit: OperationRecord = {
  kind: "deposit",
  at: new Date(0),
  data: { level: 1, index: 0, hash: "d", receiver: "tz1alice", amount: "1", success: true },
};
const all = [call, failedCall, deploy, rejected, deposit];

it.each([
  [{ kind: "all" }, all],
  [{ kind: "failed" }, [failedCall, rejected]],
  [{ kind: "calls" }, [call, failedCall, rejected]],
  [{ kind: "deploys" }, [deploy]],
  [{ kind: "deposits" }, [deposit]],
  [{ kind: "address", address: "KT1counter" }, [call, failedCall]],
  [{ kind: "address", address: "tz1alice" }, all],
  [{ kind: "address", address: "tz1bob" }, []],
] as const)("shows by %j what matches", (filter, shown) =>
  expect(all.filter((record) => matches(record, filter))).toEqual(shown),
);

it("names an account once that calls itself", () =>
  expect(addressesOf(operation({ target: "tz1alice" }))).toEqual(["tz1alice"]));
