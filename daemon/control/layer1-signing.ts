// Layer 1 operations that the sandbox signs: `POST /contract_call`, a contract call as jstzd offers it, and
// `POST /layer1/operations` for the command line, which does not have the keys of configured accounts.
import { createLayer1Client } from "../client/layer1-client.ts";
import type { OperationDraft, SendOptions } from "../client/layer1-operation.ts";
import { BOOTSTRAP_ACCOUNTS } from "../protocol/constants.ts";
import { SandboxError } from "../protocol/errors.ts";
import type { ContractCall, Layer1OperationReport, Layer1OperationRequest } from "../protocol/sandbox-api.ts";
import { parseSecretKey } from "../protocol/secret-key.ts";
import { parseTezOrZero } from "../protocol/tez.ts";
import type { Address } from "../tezos/address.ts";
import { type SecretKey } from "../tezos/keys.ts";
import { MichelineSyntaxError, parseMichelsonText } from "../tezos/micheline-text.ts";
import { type Micheline, parseMicheline } from "../tezos/micheline.ts";
import { Lanes } from "./lanes.ts";

export interface SigningAccount {
  readonly label: string;
  readonly address: Address;
  /** Absent for accounts that the configuration gives by public key only. */
  readonly secretKey?: string;
}

/** Bodies are checked against their schemas before. */
export interface Layer1Signing {
  /**
   * Makes one call and resolves when it is included and applied. From the six bootstrap accounts everybody may, for
   * their keys are public.
   * @param checkOwner is called for every other account, and throws
   * @throws SandboxError
   */
  callContract(body: unknown, checkOwner: () => void): Promise<void>;
  /** Sends several contents as one operation. @throws SandboxError */
  send(body: unknown): Promise<Layer1OperationReport>;
}

/** Operations that are simulated, signed and injected at once, and those that may wait for it. */
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
        destination: call.contract,
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

/** A number holds 15 decimal digits whatever they are. */
const EXACT_MUTEZ = 10n ** 15n;

/**
 * Mutez of a JSON number of tez, as it is written. Never rounds: what has more than six decimals, the noise of
 * 0.1 + 0.2 included, is refused, and so is more than a number holds exactly to the mutez.
 * @throws SandboxError BAD_AMOUNT
 */
export function tezOfFloat(tez: number): bigint {
  const mutez = parseTezOrZero(String(tez));
  if (mutez < EXACT_MUTEZ) return mutez;
  const reason = "a JSON number tells mutez apart below 1000000000 tez only";
  throw new SandboxError("BAD_AMOUNT", { found: String(tez), reason });
}

/** @throws SandboxError BAD_REQUEST where Micheline is none */
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
  const draft = { kind, destination, amount: BigInt(amount) };
  if (!parameters) return draft;
  const value = michelineOf(parameters.value, `${at}/parameters/value`);
  return { ...draft, parameters: { entrypoint: parameters.entrypoint, value } };
}

function michelineOf(json: unknown, at: string): Micheline {
  const micheline = parseMicheline(json);
  if (micheline !== undefined) return micheline;
  throw new SandboxError("BAD_REQUEST", { at, found: json, expected: "Micheline as JSON" });
}

/** An operation has 32,768 bytes at most, and each of its nodes takes two: longer texts and more nodes never fit. */
const MAX_NODES = 16_384;
const MAX_TEXT = 131_072;

/** @throws SandboxError BAD_REQUEST with what is wrong where in the text */
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
