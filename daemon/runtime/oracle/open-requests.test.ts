import { expect, it } from "vitest";
import type { CallRequest, CallResponse } from "../call/http-message.ts";
import { MAX_HELD_BYTES, MAX_OPEN_REQUESTS, OpenRequests, type OutsideOptions } from "./open-requests.ts";

const REQUEST: CallRequest = { url: "https://example.com/", method: "GET", headers: [], body: null };
const OK: CallResponse = { status: 200, statusText: "OK", headers: [], body: null };
const MIB = 1024 * 1024;

function desk() {
  const asked: (OutsideOptions & { answer(response: CallResponse): void })[] = [];
  const answers: [number, number][] = [];
  const requests = new OpenRequests(
    (_request, options) => new Promise((answer) => asked.push({ ...options, answer })),
    (id, { status }) => answers.push([id, status]),
  );
  return { asked, answers, requests };
}
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it("passes an answer on, and counts its bytes until the executor has received it", async () => {
  const { asked, answers, requests } = desk();
  requests.ask(1, REQUEST);
  expect(asked[0]!.hold(MIB)).toBe(true);
  asked[0]!.answer(OK);
  await nextTurn();
  expect([answers, requests.held]).toEqual([[[1, 200]], MIB]);
  requests.close(1);
  expect([requests.held, requests.size]).toEqual([0, 0]);
});

it("aborts a request whose answer is no longer needed, and drops the answer", async () => {
  const { asked, answers, requests } = desk();
  requests.ask(1, REQUEST);
  requests.ask(2, REQUEST);
  asked[0]!.hold(MIB);
  requests.close(1);
  requests.closeAll();
  expect([asked[0]!.signal.aborted, asked[1]!.signal.aborted, asked[0]!.hold(1)]).toEqual([
    true,
    true,
    false,
  ]);
  asked[0]!.answer(OK);
  await nextTurn();
  expect([answers, requests.held]).toEqual([[], 0]);
});

it("refuses requests beyond the limit", () => {
  const { answers, requests } = desk();
  for (let id = 1; id <= MAX_OPEN_REQUESTS + 1; id++) requests.ask(id, REQUEST);
  expect(answers).toEqual([[MAX_OPEN_REQUESTS + 1, 503]]);
  requests.close(1);
  requests.ask(1000, REQUEST);
  expect(answers).toHaveLength(1);
});

it("holds no more bytes of answers than allowed, partial answers included", () => {
  const { asked, requests } = desk();
  const each = 6 * MIB;
  for (let id = 1; id <= 4; id++) requests.ask(id, REQUEST);
  const held = asked.map(({ hold }) => hold(each / 2) && hold(each));
  expect(held).toEqual([true, true, true, false]);
  expect(requests.held).toBeLessThanOrEqual(MAX_HELD_BYTES);
  requests.close(1);
  expect(asked[3]!.hold(each)).toBe(true);
});
