// `POST /contract_call`: a layer 1 contract call signed with a bootstrap key, as jstzd offers it.
import { createLayer1Client } from "../client/layer1-client.ts";
import { SandboxError } from "../protocol/errors.ts";
import { parseSecretKey } from "../protocol/keys.ts";
import type { ContractCall } from "../protocol/sandbox-api.ts";
import { parseTezOrZero } from "../protocol/tez.ts";

/** Makes one call and resolves when it is included and applied. @throws SandboxError */
export type ContractCaller = (body: unknown) => Promise<void>;

export interface SigningAccount {
  readonly label: string;
  readonly address: string;
  /** Absent for accounts that the configuration gives by public key only. */
  readonly secretKey?: string;
}

export function createContractCaller(options: {
  readonly accounts: readonly SigningAccount[];
  readonly layer1Endpoint: () => string;
}): ContractCaller {
  return async (body) => {
    const call = body as ContractCall; // checked against contractCallSchema before
    const account = options.accounts.find(
      ({ label, address }) => label === call.from || address === call.from,
    );
    if (!account) {
      const known = options.accounts.map(({ label }) => label).join(", ");
      throw new SandboxError("UNKNOWN_BOOTSTRAP", { found: call.from, known });
    }
    if (account.secretKey === undefined) {
      throw new SandboxError("BAD_REQUEST", {
        at: "body/from",
        found: call.from,
        expected: "an account whose secret key the sandbox has",
      });
    }
    await createLayer1Client(options.layer1Endpoint()).send({
      key: parseSecretKey(account.secretKey),
      destination: call.contract,
      amount: tezOfFloat(call.amount),
      parameters: { entrypoint: call.entrypoint, value: await parseMicheline(call.arg) },
    });
  };
}

/** Mutez of a JSON number of tez: rounded in decimal, so that 0.1 + 0.2 style noise cannot lose a mutez. */
export function tezOfFloat(tez: number): bigint {
  return parseTezOrZero(tez.toFixed(6));
}

async function parseMicheline(text: string): Promise<unknown> {
  const { Parser } = await import("@taquito/michel-codec");
  // An unparenthesised application such as `Pair 1 2` would silently lose its arguments.
  const wrapped = /^[{("\d-]|^0x/.test(text.trim()) ? text : `(${text})`;
  try {
    const value = new Parser().parseMichelineExpression(wrapped);
    if (value !== null) return value;
  } catch {
    // reported below with the text itself, which says more than the parser's message
  }
  throw new SandboxError("BAD_REQUEST", { at: "body/arg", found: text, expected: "a Michelson value" });
}
