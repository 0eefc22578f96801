// Layer 1 operations signed by the sandbox: `POST /contract_call`, a contract call as in jstzd, and `POST
// /layer1/operations` for the command line, which lacks the keys of configured accounts.
import { createLayer1Client } from "../client/layer1-client.ts";
import type { OperationDraft, SendOptions } from "../client/layer1-operation.ts";
import { BOOTSTRAP_ACCOUNTS } from "../protocol/constants.ts";
import { SandboxError } from "../protocol/errors.ts";
import { foundText } from "../protocol/found-text.ts";
import type { ContractCall, Layer1OperationReport, Layer1OperationRequest } from "../protocol/sandbox-api.ts";
import { parseSecretKey } from "../protocol/secret-key.ts";
import { parseTezOrZero } from "../protocol/tez.ts";
import { type Address, isAddress } from "../tezos/address.ts";
import { type SecretKey } from "../tezos/keys.ts";
import { MichelineSyntaxError, parseMichelsonText } from "../tezos/micheline-text.ts";
import { MAX_DEPTH, type Micheline, parseMicheline } from "../tezos/micheline.ts";
import { Lanes } from "./lanes.ts";

export interface SigningAccount {
  readonly label: string;
  readonly address: Address;
  /** Absent for accounts configured by public key only. */
  readonly secretKey?: string;
}

/** Bodies must already be validated against their schemas. */
export interface Layer1Signing {
  /**
   * Makes one call and resolves when it is included and applied. Open to all for the six bootstrap accounts, whose keys
   * are public.
   * @param checkOwner called for every other account; throws for strangers
   * @throws SandboxError
   */
  callContract(body: unknown, checkOwner: () => void): Promise<void>;
  /** Sends several contents as one operation. @throws SandboxError */
  send(body: unknown): Promise<Layer1OperationReport>;
}

/** Operations simulated, signed and injected at once, and those that may be queued. */
const LANES = 2;
const MAX_WAITING = 512;

export function createLayer1Signing(options: {
  readonly accounts: readonly SigningAccount[];
  readonly layer1Endpoint: () => string;
}): Layer1Signing {
  const layer1 = () => createLayer1Client(options.layer1Endpoint());
  const lanes = new Lanes({ count: LANES, maxWaiting: MAX_WAITING, what: "operations to be signed" });
  const inLanes: SendOptions = { whenItsTurn: (work) => lanes.run(work) };

  function keyOf(found: string): SecretKey {
    const account = options.accounts.find(({ label, address }) => label === found || address === found);
    if (!account) {
      const known = options.accounts.map(({ label }) => label).join(", ");
      throw new SandboxError("UNKNOWN_BOOTSTRAP", { found, known });
    }
    if (account.secretKey === undefined) throw new SandboxError("KEY_UNKNOWN", { found });
    return parseSecretKey(account.secretKey);
  }

  return {
    async callContract(body, checkOwner) {
      const call = body as ContractCall;
      if (!BOOTSTRAP_ACCOUNTS.some(({ label, address }) => label === call.from || address === call.from))
        checkOwner();
      const transaction = {
        key: keyOf(call.from),
        destination: destinationOf(call.contract, "body/contract"),
        amount: tezOfFloat(call.amount),
        parameters: { entrypoint: call.entrypoint, value: michelsonOf(call.arg) },
      };
      await layer1().send(transaction, inLanes);
    },
    async send(body) {
      const { from, contents } = body as Layer1OperationRequest;
      const drafts = contents.map((content, i) => draftOf(content, `body/contents/${i}`));
      const { hash, level, fee, contracts } = await layer1().sendAll(keyOf(from), drafts, inLanes);
      return { hash, level, fee: fee.toString(), contracts: [...contracts] };
    },
  };
}

/** A JSON number holds any 15 decimal digits exactly. */
const EXACT_MUTEZ = 10n ** 15n;

/**
 * Mutez of a JSON number of tez, exactly as written. Never rounds: more than six decimals (such as the noise of 0.1 +
 * 0.2) are rejected, and so are amounts too large for an exact number of mutez.
 * @throws SandboxError BAD_AMOUNT
 */
export function tezOfFloat(tez: number): bigint {
  const mutez = parseTezOrZero(String(tez));
  if (mutez < EXACT_MUTEZ) return mutez;
  const reason = "a JSON number is exact to the mutez only below 1000000000 tez";
  throw new SandboxError("BAD_AMOUNT", { found: String(tez), reason });
}

/** @throws SandboxError BAD_REQUEST */
function destinationOf(text: string, at: string): Address {
  if (isAddress(text)) return text;
  throw new SandboxError("BAD_REQUEST", { at, found: foundText(text), expected: "an address of layer 1" });
}

/** @throws SandboxError BAD_REQUEST for invalid Micheline and addresses */
function draftOf(content: Layer1OperationRequest["contents"][number], at: string): OperationDraft {
  if (content.kind === "origination") {
    const { code, storage } = content.script;
    const script = {
      code: michelineOf(code, `${at}/script/code`),
      storage: michelineOf(storage, `${at}/script/storage`),
    };
    return { kind: "origination", script };
  }
  const { kind, destination, amount, parameters } = content;
  const draft = {
    kind,
    destination: destinationOf(destination, `${at}/destination`),
    amount: BigInt(amount),
  };
  if (!parameters) return draft;
  const value = michelineOf(parameters.value, `${at}/parameters/value`);
  return { ...draft, parameters: { entrypoint: parameters.entrypoint, value } };
}

function michelineOf(json: unknown, at: string): Micheline {
  const micheline = parseMicheline(json);
  if (micheline !== undefined) return micheline;
  throw new SandboxError("BAD_REQUEST", {
    at,
    found: foundText(json),
    expected: `Micheline as JSON, nested at most ${MAX_DEPTH} deep`,
  });
}

/** An operation has at most 32,768 bytes, and each node takes at least two: longer texts and more nodes never fit. */
const MAX_NODES = 16_384;
const MAX_TEXT = 131_072;

/** @throws SandboxError BAD_REQUEST with the mistake and its position in the text */
function michelsonOf(text: string): Micheline {
  if (text.length > MAX_TEXT) {
    const expected = `at most ${MAX_TEXT} characters of Michelson`;
    throw new SandboxError("BAD_REQUEST", { at: "body/arg", found: `${text.length} characters`, expected });
  }
  try {
    return parseMichelsonText(text, MAX_NODES);
  } catch (error) {
    if (!(error instanceof MichelineSyntaxError)) throw error;
    const expected = `a Michelson value (${error.message})`;
    throw new SandboxError("BAD_REQUEST", { at: "body/arg", found: text, expected });
  }
}
