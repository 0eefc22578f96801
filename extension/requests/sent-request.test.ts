import { expect, it } from "vitest";
import { requestOfKept, runArguments, signedRequest } from "./sent-request.ts";

const request = {
  ...{ method: "POST", url: "jstz://counter/a?b=1", headers: [["X-A", "1"] as const, ["x-a", "2"] as const] },
  ...{ body: "@/etc/passwd", tez: "1.5", gasLimit: "1000", account: "alice" },
};

it("never passes a body as an argument, which might name a file", () => {
  expect(runArguments(request)).toEqual([
    ...["run", "--base64", "-m", "POST", "-H", "X-A: 1", "-H", "x-a: 2", "-d", "@-"],
    ...["--amount=1.5", "--gas-limit=1000", "--account=alice", "--", "jstz://counter/a?b=1"],
  ]);
});

it("attaches nothing for zero tez", () => {
  expect(runArguments({ ...request, tez: "0.0" }).join(" ")).not.toContain("--amount");
});

it("joins repeated headers, for a route that accepts each once", () => {
  expect(signedRequest(request, "bootstrap1")).toEqual({
    ...{ from: "bootstrap1", url: request.url, method: "POST", headers: { "x-a": "1, 2" } },
    ...{ body: "@/etc/passwd", tez: "1.5", gas_limit: 1000 },
  });
});

it("sends headers with names that objects have anyway", () => {
  const headers = [...["constructor", "__proto__"].map((name) => [name, "1"] as const)];
  const sent = signedRequest({ ...request, headers: [...headers, ...headers] }, "bootstrap1").headers;
  expect(Object.entries(sent ?? {})).toEqual(headers.map(([name]) => [name, "1, 1"]));
});

it("converts a request kept by the runtime", () => {
  const kept = {
    ...{ uri: "jstz://KT1a/", method: "PUT", bodySize: 2, gasLimit: "10" },
    headers: { "x-jstz-transfer": "1500000", "x-a": ["1", "2"] },
    body: Buffer.from("é").toString("base64"),
  };
  expect(requestOfKept(kept)).toMatchObject({
    ...{ method: "PUT", url: "jstz://KT1a/", body: "é", tez: "1.5" },
    headers: [
      ["x-a", "1"],
      ["x-a", "2"],
    ],
  });
  const marked = { ...kept, body: Buffer.from("\ufeffa").toString("base64") };
  expect(requestOfKept(marked)?.body).toBe("\ufeffa"); // repeated as it was sent, byte order mark included
  expect(requestOfKept({ ...kept, body: Buffer.from([0xff]).toString("base64") })).toBeUndefined();
  expect(requestOfKept({ ...kept, body: null })).toBeUndefined();
  expect(requestOfKept({ ...kept, body: null, bodySize: 0 })).toMatchObject({ body: undefined });
});
