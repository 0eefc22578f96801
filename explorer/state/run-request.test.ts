import { expect, it } from "vitest";
import type { SentRequest } from "./history.ts";
import { headersOf, runRequest } from "./run-request.ts";

const requestOf = (over: Partial<SentRequest>): SentRequest => ({
  ...{ from: "bootstrap0", method: "GET", url: "jstz://KT1/", headers: "", body: "", tez: "" },
  ...over,
});

it("reads headers line by line", () => {
  expect(headersOf("X-A: 1\nnothing\n: empty\ncontent-type : text/plain:x")).toEqual({
    "x-a": "1",
    "content-type": "text/plain:x",
  });
});

it("reads headers with names that objects have anyway", () => {
  expect(Object.entries(headersOf("__proto__: 1\nconstructor: 2"))).toEqual([
    ["__proto__", "1"],
    ["constructor", "2"],
  ]);
});

it("says that a body is JSON when it is, and leaves out what is empty", () => {
  expect(runRequest(requestOf({}))).toEqual({
    from: "bootstrap0",
    method: "GET",
    url: "jstz://KT1/",
    headers: {},
  });
  expect(runRequest(requestOf({ body: "[1]", tez: " 2 " }))).toMatchObject({
    body: "[1]",
    tez: "2",
    headers: { "content-type": "application/json" },
  });
  expect(runRequest(requestOf({ body: "[1", headers: "content-type: a/b" })).headers).toEqual({
    "content-type": "a/b",
  });
});
