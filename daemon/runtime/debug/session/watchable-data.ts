// The data that a name stands for where the debugger is: a key of a store, or a balance. Data breakpoints watch it.
import { balanceId, type SessionAnswers, valueId } from "../../../protocol/debug-session-api.ts";
import type { Recording } from "../recording.ts";
import { callOf } from "./frames.ts";

/** @param name of a key or an account, or an identifier of data itself */
export function watchableData(
  recording: Recording,
  here: number,
  name: string,
): SessionAnswers["dataBreakpointInfo"] {
  const { calls, events } = recording;
  if (/^(?:kv|balance):/.test(name)) return { dataId: name, description: name };
  if (/^(?:tz[1-4]|KT1)\w{33}$/.test(name))
    return { dataId: balanceId(name), description: `the balance of ${name}` };
  const call = here >= 0 && here < events.length ? callOf(recording, here) : 0;
  const address = calls[call]?.address;
  if (address === undefined || name === "")
    return { dataId: null, description: "Nothing that can be watched." };
  return { dataId: valueId(address, name), description: `the key ${name} of ${address}` };
}
