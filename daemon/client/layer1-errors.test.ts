import { expect, it } from "vitest";
import { SandboxError } from "../protocol/errors.ts";
import { rpcFailure } from "./layer1-errors.ts";

it("passes on the error of our server, with its code and next step", () => {
  const refusal = new SandboxError("OWNER_ONLY", { found: "no secret" });
  const failure = rpcFailure("/admin/bake", 403, JSON.stringify(refusal.toBody()));
  expect(failure).toMatchObject({ code: "OWNER_ONLY", message: refusal.message, next: refusal.next });
});

it("reports the errors of a node", () => {
  const body = JSON.stringify([{ id: "proto.024-PtTALLiN.contract.balance_too_low", kind: "temporary" }]);
  expect(rpcFailure("/injection/operation", 500, body)).toMatchObject({
    code: "LAYER1_REJECTED",
    data: { id: "contract.balance_too_low" },
  });
});

it.each(["", "no such path", '{"error":"not ours"}'])(
  "reports the status of a response without errors: %j",
  (body) => {
    expect(rpcFailure("/x", 404, body)).toMatchObject({ code: "LAYER1_REJECTED", data: { status: 404 } });
  },
);
