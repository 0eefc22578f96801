// Requests that show the owner's secret. Whatever holds a port may be asked, so the server first proves that it knows
// the secret itself; the secret then goes over the very connection on which it did so, and over no other.
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { ownerHeaders, type OwnerSecret } from "../protocol/admin-secret.ts";
import { errorInBody, SandboxError } from "../protocol/errors.ts";
import { isProof, type OwnerProof, plainAddress, randomNonce } from "../protocol/owner-proof.ts";
import { decodedOrNothing, fieldsOf, numberField, textField } from "../tezos/json-fields.ts";
import { type HttpAnswer, type HttpRequest, httpRequestText } from "./http-json.ts";

/**
 * Sends a request with the secret, once the server has proven to know it.
 * @throws SandboxError OWNER_UNPROVEN when it does not, NETWORK_UNREACHABLE, CANCELLED
 */
export async function requestAsOwner(
  base: string,
  path: string,
  secret: OwnerSecret,
  request: HttpRequest,
): Promise<HttpAnswer> {
  const agent = oneConnection(base);
  try {
    if (!(await provesSecret(base, secret, { ...request, agent })))
      throw new SandboxError("OWNER_UNPROVEN", { endpoint: base });
    return await httpRequestText(`${base}${path}`, { ...request, agent, headers: ownerHeaders(secret.text) });
  } finally {
    agent.destroy();
  }
}

/** Whether the server knows the secret. Nothing of it is sent. @throws SandboxError NETWORK_UNREACHABLE, CANCELLED */
export async function provesSecret(
  base: string,
  secret: OwnerSecret,
  request: Pick<HttpRequest, "what" | "signal" | "agent">,
): Promise<boolean> {
  const nonce = randomNonce();
  const { status, body, from } = await httpRequestText(`${base}/owner/proof?nonce=${nonce}`, {
    // Said aloud: where the editor puts an agent of its own before ours, the connection would be closed otherwise.
    headers: { connection: "keep-alive" },
    ...(request.what === undefined ? {} : { what: request.what }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.agent === undefined ? {} : { agent: request.agent }),
  });
  if (status !== 200) {
    // What it says of a name or a page that it does not let in is worth more than that it proved nothing.
    const refusal = errorInBody(body);
    if (refusal !== undefined && refusal.code !== "NOT_FOUND") throw refusal;
    return false;
  }
  const answer = readProof(body);
  if (answer === undefined || !isProof(secret.text, nonce, answer)) return false;
  const isHere = answer.address === plainAddress(from.address) && answer.port === from.port;
  return isHere || !secret.isDirect;
}

const readProof = (body: string): OwnerProof | undefined =>
  decodedOrNothing(body, (json) => {
    const { address, port, proof } = fieldsOf(json, "body");
    return {
      address: textField(address, "address"),
      port: numberField(port, "port"),
      proof: textField(proof, "proof"),
    };
  });

/** Connections as Node's agents make them; the method is documented, and not in their types. */
interface Connecting {
  createConnection(options: unknown, done: (error: Error) => void): unknown;
}

/** An agent that makes one connection in its life. */
function oneConnection(base: string): HttpAgent {
  const options = { keepAlive: true, maxSockets: 1 };
  const agent = base.startsWith("https:") ? new HttpsAgent(options) : new HttpAgent(options);
  const connecting = agent as unknown as Connecting;
  const connect = connecting.createConnection.bind(agent);
  let isMade = false;
  connecting.createConnection = (target, done) => {
    if (isMade) return done(new Error("the server closed the connection on which it had proven who it is"));
    isMade = true;
    return connect(target, done);
  };
  return agent;
}
