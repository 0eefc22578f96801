// The balance of an account on layer 1, and the head that it belongs to, of any Tezos node.
import { decodeAnswer } from "./decode-answer.ts";
import { type HttpRequest, httpRequestText } from "./http-json.ts";
import { amountOf, textOf } from "./layer1-answers.ts";
import { rpcFailure } from "./layer1-errors.ts";

const what = "The layer 1 node";

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
  const url = `${endpoint}/chains/main/blocks/head/context/contracts/${address}/balance`;
  const { status, body } = await httpRequestText(url, { what, ...request });
  if (status === 404) return 0n;
  if (status !== 200) throw rpcFailure("balance", status, body);
  return decodeAnswer({ what, url }, body, amountOf);
}

/**
 * Hash of the latest block.
 * @param endpoint address of the node, without a slash at its end
 * @throws SandboxError LAYER1_REJECTED, ANSWER_MALFORMED, NETWORK_UNREACHABLE
 */
export async function headHash(endpoint: string): Promise<string> {
  const url = `${endpoint}/chains/main/blocks/head/hash`;
  const { status, body } = await httpRequestText(url, { what });
  if (status !== 200) throw rpcFailure("head", status, body);
  return decodeAnswer({ what, url }, body, textOf);
}
