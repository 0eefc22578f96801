// Requests with the owner's secret. Any program may hold a port, so the server must first prove that it knows the
// secret itself; the secret is then sent over the connection of the proof, and over no other.
import type { Agent as HttpAgent } from "node:http";
import { ownerHeaders, type OwnerSecret } from "../protocol/admin-secret.ts";
import { errorInBody, SandboxError } from "../protocol/errors.ts";
import { isProof, type OwnerProof, plainAddress, randomNonce } from "../protocol/owner-proof.ts";
import { tryDecode, fieldsOf, numberField, textField } from "../tezos/json-fields.ts";
import { type HttpAnswer, type HttpRequest, httpRequestText, newAgent } from "./http-json.ts";
import { readEvents, type ServerSentEvent } from "./server-sent-events.ts";

/**
 * Sends a request with the secret once the server has proven that it knows it.
 * @throws SandboxError OWNER_UNPROVEN without a proof, NETWORK_UNREACHABLE, CANCELLED
 */
export async function requestAsOwner(
  base: string,
  path: string,
  secret: OwnerSecret,
  request: HttpRequest,
): Promise<HttpAnswer> {
  const agent = await provenConnection(base, secret, request);
  try {
    return await sendOver(agent, `${base}${path}`, secret, request);
  } finally {
    agent.destroy();
  }
}

/**
 * Opens a connection over which the server has proven that it knows the secret.
 * @returns an agent with this connection alone, which the caller destroys
 * @throws SandboxError as {@link requestAsOwner}
 */
export async function provenConnection(
  base: string,
  secret: OwnerSecret,
  request: Pick<HttpRequest, "what" | "signal">,
): Promise<HttpAgent> {
  const agent = await oneConnection(base);
  try {
    if (await provesSecret(base, secret, { ...request, agent })) return agent;
    throw new SandboxError("OWNER_UNPROVEN", { endpoint: base });
  } catch (error) {
    agent.destroy();
    throw error;
  }
}

/** Sends a request with the secret. @param agent of {@link provenConnection} */
export const sendOver = (
  agent: HttpAgent,
  url: string,
  secret: OwnerSecret,
  request: HttpRequest,
): Promise<HttpAnswer> => httpRequestText(url, { ...request, agent, headers: ownerHeaders(secret.text) });

/**
 * Yields the events of a stream that is asked for with the secret, once the server has proven that it knows it.
 * @throws SandboxError as {@link requestAsOwner}, and the error with which the server refuses it
 */
export async function* eventsAsOwner(
  base: string,
  path: string,
  secret: OwnerSecret,
  request: HttpRequest,
): AsyncGenerator<ServerSentEvent> {
  const agent = await provenConnection(base, secret, request);
  try {
    yield* readEvents(`${base}${path}`, { ...request, agent, headers: ownerHeaders(secret.text) });
  } finally {
    agent.destroy();
  }
}

/** Whether the server knows the secret. Does not send it. @throws SandboxError NETWORK_UNREACHABLE, CANCELLED */
export async function provesSecret(
  base: string,
  secret: OwnerSecret,
  request: Pick<HttpRequest, "what" | "signal" | "agent">,
): Promise<boolean> {
  const nonce = randomNonce();
  const { status, body, from } = await httpRequestText(`${base}/owner/proof?nonce=${nonce}`, {
    // Explicit: otherwise the connection is closed where the editor puts its own agent before ours.
    headers: { connection: "keep-alive" },
    ...(request.what === undefined ? {} : { what: request.what }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.agent === undefined ? {} : { agent: request.agent }),
  });
  if (status !== 200) {
    // The server's reason for refusing a host name or a page is more useful than the missing proof.
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
  tryDecode(body, (json) => {
    const { address, port, proof } = fieldsOf(json, "body");
    return {
      address: textField(address, "address"),
      port: numberField(port, "port"),
      proof: textField(proof, "proof"),
    };
  });

/** Node's agents have this documented method, but their types lack it. */
interface Connecting {
  createConnection(options: unknown, done: (error: Error) => void): unknown;
}

/** An agent that opens a single connection in its lifetime. */
async function oneConnection(base: string): Promise<HttpAgent> {
  const agent = await newAgent(base, { keepAlive: true, maxSockets: 1 });
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
