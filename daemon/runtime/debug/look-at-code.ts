// Makes a recorder meet the functions of deployed code without a call of it: its top level begins, with no state to read
// and nothing to change.
import type { Address } from "../../tezos/address.ts";
import type { GuestEffects, GuestEngine } from "../call/guest.ts";
import { GuestFailure } from "../call/guest.ts";
import type { OperationGas } from "../call/operation-gas.ts";
import { Ledger } from "../ledger/ledger.ts";
import type { Recorder } from "./recorder.ts";

/** @param gas most that the top level may use */
export function lookAtCode(
  recorder: Recorder,
  guests: GuestEngine,
  { address, code, gas }: { readonly address: Address; readonly code: string; readonly gas: OperationGas },
): void {
  const request = { method: "GET", url: `jstz://${address}/`, headers: [], body: null };
  const program = { address, code, ...gas, seed: "", request, effects: noEffects(address) };
  recorder.observe(guests).open(program)?.close();
}

function noEffects(selfAddress: Address): GuestEffects {
  const refuse = (): never => {
    throw new GuestFailure("Error", "nothing runs");
  };
  return {
    selfAddress,
    view: new Ledger(),
    kvGet: refuse,
    kvSet: refuse,
    kvDelete: refuse,
    kvHas: refuse,
    balance: refuse,
    transfer: refuse,
    create: refuse,
    log: () => undefined,
    fetch: refuse,
  };
}
