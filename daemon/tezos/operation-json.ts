// JSON contents from outside to contents that can be trusted: every field checked before anything uses it.
import { decodeBase58 } from "./base58.ts";
import { addressBytes, isEntrypointName, keyHashBytes, publicKeyBytes, signatureBytes } from "./address.ts";
import { isHex } from "./hex.ts";
import { type Micheline, parseMicheline } from "./micheline.ts";
import type { Content, Manager, Operation } from "./content.ts";

/** A body that is not the JSON of an operation; `at` is the path to the wrong field. */
export class MalformedJson extends Error {
  constructor(at: string, expected: string) {
    super(`${at}: expected ${expected}`);
    this.name = "MalformedJson";
  }
}

type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(json: unknown, at: string): Fields {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new MalformedJson(at, "an object");
  return json as Fields;
}

function natural(value: unknown, at: string): string {
  // A real node takes decimal texts only; more digits than any balance has are refused before they cost time.
  if (typeof value !== "string" || !/^[0-9]{1,78}$/.test(value))
    throw new MalformedJson(at, "a natural number as text");
  return BigInt(value).toString();
}

function checked(value: unknown, at: string, expected: string, accept: (text: string) => unknown): string {
  if (typeof value !== "string" || !accept(value)) throw new MalformedJson(at, expected);
  return value;
}

export function michelineField(value: unknown, at: string): Micheline {
  const parsed = parseMicheline(value);
  if (parsed === undefined) throw new MalformedJson(at, "a Micheline expression");
  return parsed;
}

/**
 * Parses `{branch, contents, signature?}`.
 * @throws MalformedJson
 */
export function parseOperationJson(
  json: unknown,
  at = "operation",
): Operation & { readonly signatureText: string | undefined } {
  const { branch, contents, signature } = fieldsOf(json, at);
  if (!Array.isArray(contents) || contents.length === 0 || contents.length > 1000)
    throw new MalformedJson(`${at}.contents`, "a list of contents");
  const signatureText =
    signature === undefined
      ? undefined
      : checked(signature, `${at}.signature`, "a signature", signatureBytes);
  return {
    branch: checked(branch, `${at}.branch`, "a block hash", (text) => decodeBase58("blockHash", text)),
    contents: contents.map((content, i) => parseContent(content, `${at}.contents[${i}]`)),
    signature: signatureText === undefined ? undefined : signatureBytes(signatureText),
    signatureText,
  };
}

/** Parses one content. @throws MalformedJson */
export function parseContent(json: unknown, at: string): Content {
  const fields = fieldsOf(json, at);
  const implicit = (name: string): string =>
    checked(fields[name], `${at}.${name}`, "an implicit address", keyHashBytes);
  const address = (name: string): string =>
    checked(fields[name], `${at}.${name}`, "an address", addressBytes);
  const number = (name: string): string => natural(fields[name], `${at}.${name}`);
  const micheline = (name: string): Micheline => michelineField(fields[name], `${at}.${name}`);
  const delegate = fields["delegate"] === undefined ? {} : { delegate: implicit("delegate") };
  const manager = (): Manager => ({
    source: implicit("source"),
    fee: number("fee"),
    counter: number("counter"),
    gas_limit: number("gas_limit"),
    storage_limit: number("storage_limit"),
  });
  switch (fields["kind"]) {
    case "reveal": {
      const proof = fields["proof"];
      return {
        kind: "reveal",
        ...manager(),
        public_key: checked(fields["public_key"], `${at}.public_key`, "a public key", publicKeyBytes),
        ...(proof !== undefined && {
          proof: checked(proof, `${at}.proof`, "a BLS signature", (text) => decodeBase58("BLsig", text)),
        }),
      };
    }
    case "transaction": {
      const base = {
        kind: "transaction" as const,
        ...manager(),
        amount: number("amount"),
        destination: address("destination"),
      };
      if (fields["parameters"] === undefined) return base;
      const parameters = fieldsOf(fields["parameters"], `${at}.parameters`);
      const entrypoint = checked(
        parameters["entrypoint"],
        `${at}.parameters.entrypoint`,
        "an entrypoint name",
        isEntrypointName,
      );
      return {
        ...base,
        parameters: { entrypoint, value: michelineField(parameters["value"], `${at}.parameters.value`) },
      };
    }
    case "origination": {
      const script = fieldsOf(fields["script"], `${at}.script`);
      return {
        kind: "origination",
        ...manager(),
        balance: number("balance"),
        ...delegate,
        script: {
          code: michelineField(script["code"], `${at}.script.code`),
          storage: michelineField(script["storage"], `${at}.script.storage`),
        },
      };
    }
    case "delegation":
      return { kind: "delegation", ...manager(), ...delegate };
    case "transfer_ticket":
      return {
        kind: "transfer_ticket",
        ...manager(),
        ticket_contents: micheline("ticket_contents"),
        ticket_ty: micheline("ticket_ty"),
        ticket_ticketer: address("ticket_ticketer"),
        ticket_amount: number("ticket_amount"),
        destination: address("destination"),
        entrypoint: checked(fields["entrypoint"], `${at}.entrypoint`, "an entrypoint name", isEntrypointName),
      };
    case "smart_rollup_add_messages": {
      const message = fields["message"];
      if (!Array.isArray(message) || message.length > 10_000)
        throw new MalformedJson(`${at}.message`, "a list of hex texts");
      return {
        kind: "smart_rollup_add_messages",
        ...manager(),
        message: message.map((text, i) => checked(text, `${at}.message[${i}]`, "hex", isHex).toLowerCase()),
      };
    }
    case "smart_rollup_execute_outbox_message":
      return {
        kind: "smart_rollup_execute_outbox_message",
        ...manager(),
        rollup: checked(fields["rollup"], `${at}.rollup`, "a rollup address", (text) =>
          decodeBase58("sr1", text),
        ),
        cemented_commitment: checked(
          fields["cemented_commitment"],
          `${at}.cemented_commitment`,
          "a commitment hash",
          (text) => decodeBase58("src1", text),
        ),
        output_proof: checked(fields["output_proof"], `${at}.output_proof`, "hex", isHex).toLowerCase(),
      };
    default:
      throw new MalformedJson(`${at}.kind`, "a manager operation that the sandbox carries out");
  }
}
