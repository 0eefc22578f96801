// Validates addresses in paths.
import { isAddress, isOriginated } from "../../tezos/address.ts";
import { badRequest } from "../query/query-values.ts";

/** @throws SandboxError BAD_REQUEST */
export function addressParam(text: string): string {
  if (!isAddress(text)) throw badRequest("the path", text, "an address (tz1…, KT1…, sr1…)");
  return text;
}

/** @throws SandboxError BAD_REQUEST */
export function contractParam(text: string): string {
  if (!isOriginated(text) || !isAddress(text))
    throw badRequest("the path", text, "the address of a contract (KT1…)");
  return text;
}
