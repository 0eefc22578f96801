// The balance of an account on layer 1, of any Tezos node.
import { decodeAnswer } from "./decode-answer.ts";
import { type HttpRequest, httpRequestText } from "./http-json.ts";
import { amountOf } from "./layer1-answers.ts";
import { rpcFailure } from "./layer1-errors.ts";

/**
 * @param endpoint address of the node, without a slash at its end
 * @returns mutez; 0 for an account that does not exist
 * @throws SandboxError LAYER1_REJECTED, ANSWER_MALFORMED, NETWORK_UNREACHABLE
 */
export async function layer1Balance(
  endpoint: string,
  address: string,
  request: HttpRequest = {},
): Promise<bigint> {
  const what = "The layer 1 node";
  const url = `${endpoint}/chains/main/blocks/head/context/contracts/${address}/balance`;
  const { status, body } = await httpRequestText(url, { what, ...request });
  if (status === 404) return 0n;
  if (status !== 200) throw rpcFailure("balance", status, body);
  return decodeAnswer({ what, url }, body, amountOf);
}
