// Parses untrusted JSON contents: every field is checked before anything uses it.
import { type Address, isAddress, isKeyHash, isOriginated, isRollup, publicKeyBytes } from "./address.ts";
import { decodeBase58 } from "./base58.ts";
import { type Content, type Manager, PVM_KINDS, type PublishCommitment } from "./content.ts";
import { mayNameEntrypoint } from "./entrypoint-codec.ts";
import { isHex } from "./hex.ts";
import {
  fieldsOf,
  integerField,
  listField,
  MalformedJson,
  michelineField,
  naturalField,
  optionalField,
  textField,
} from "./json-fields.ts";
import type { Micheline } from "./micheline.ts";
import { type NumberField, boundsText, isInBounds } from "./number-fields.ts";
import { type OtherContent, isOtherKind, parseOther } from "./other-content.ts";
import { UNSUPPORTED_KINDS, UnsupportedKind } from "./unsupported-kind.ts";

/** Parses a content of any kind that the codec supports. @throws MalformedJson, UnsupportedKind */
export function parseAnyContent(json: unknown, at: string): Content | OtherContent {
  const fields = fieldsOf(json, at);
  const { kind } = fields;
  if (!isOtherKind(kind)) return parseContent(json, at);
  return parseOther(kind, fields, (field, expected) => {
    throw new MalformedJson(`${at}.${field}`, expected, fields[field]);
  });
}

/** Parses a content that this chain can apply. @throws MalformedJson, UnsupportedKind */
export function parseContent(json: unknown, at: string): Content {
  const fields = fieldsOf(json, at);
  const implicit = (name: string): Address =>
    textField(fields[name], `${at}.${name}`, "an implicit address", isKeyHash);
  const address = (name: string): Address =>
    textField(fields[name], `${at}.${name}`, "an address", isAddress);
  const number = (name: NumberField): string => {
    const text = naturalField(fields[name], `${at}.${name}`);
    if (isInBounds(name, BigInt(text))) return text;
    throw new MalformedJson(`${at}.${name}`, `a number of ${boundsText(name)}`, fields[name]);
  };
  const micheline = (name: string): Micheline => michelineField(fields[name], `${at}.${name}`);
  const delegate = fields["delegate"] === undefined ? {} : { delegate: implicit("delegate") };
  const manager = (): Manager => ({
    source: implicit("source"),
    fee: number("fee"),
    counter: number("counter"),
    gas_limit: number("gas_limit"),
    storage_limit: number("storage_limit"),
  });
  const proof = (): { proof?: string } =>
    fields["proof"] === undefined
      ? {}
      : {
          proof: textField(fields["proof"], `${at}.proof`, "a BLS signature", (text) =>
            decodeBase58("BLsig", text),
          ),
        };
  switch (fields["kind"]) {
    case "reveal": {
      return {
        kind: "reveal",
        ...manager(),
        public_key: textField(fields["public_key"], `${at}.public_key`, "a public key", publicKeyBytes),
        ...proof(),
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
      const entrypoint = textField(
        parameters["entrypoint"],
        `${at}.parameters.entrypoint`,
        "an entrypoint name",
        mayNameEntrypoint,
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
        entrypoint: textField(
          fields["entrypoint"],
          `${at}.entrypoint`,
          "an entrypoint name",
          mayNameEntrypoint,
        ),
      };
    case "smart_rollup_add_messages": {
      const message = listField(fields["message"], `${at}.message`, "a list of hex texts", { most: 10_000 });
      return {
        kind: "smart_rollup_add_messages",
        ...manager(),
        message: message.map((text, i) => textField(text, `${at}.message[${i}]`, "hex", isHex).toLowerCase()),
      };
    }
    case "smart_rollup_execute_outbox_message":
      return {
        kind: "smart_rollup_execute_outbox_message",
        ...manager(),
        rollup: textField(fields["rollup"], `${at}.rollup`, "a rollup address", isRollupAddress),
        cemented_commitment: textField(
          fields["cemented_commitment"],
          `${at}.cemented_commitment`,
          "a commitment hash",
          (text) => decodeBase58("src1", text),
        ),
        output_proof: textField(fields["output_proof"], `${at}.output_proof`, "hex", isHex).toLowerCase(),
      };
    case "register_global_constant":
      return { kind: "register_global_constant", ...manager(), value: micheline("value") };
    case "set_deposits_limit":
      return {
        kind: "set_deposits_limit",
        ...manager(),
        ...(fields["limit"] !== undefined && { limit: number("limit") }),
      };
    case "increase_paid_storage":
      return {
        kind: "increase_paid_storage",
        ...manager(),
        amount: textField(fields["amount"], `${at}.amount`, "a number as text", (text) =>
          /^(0|-?[1-9][0-9]{0,77})$/.test(text),
        ),
        destination: textField(
          fields["destination"],
          `${at}.destination`,
          "an originated contract",
          isContract,
        ),
      };
    case "update_consensus_key":
    case "update_companion_key":
      return {
        kind: fields["kind"],
        ...manager(),
        pk: textField(fields["pk"], `${at}.pk`, "a public key", publicKeyBytes),
        ...proof(),
      };
    case "smart_rollup_originate": {
      const whitelist = optionalField(fields["whitelist"], (value) =>
        listField(value, `${at}.whitelist`, "a list of implicit addresses", { most: 1000 }),
      );
      return {
        kind: "smart_rollup_originate",
        ...manager(),
        pvm_kind: textField(fields["pvm_kind"], `${at}.pvm_kind`, PVM_KINDS.join(", "), (text) =>
          PVM_KINDS.includes(text as (typeof PVM_KINDS)[number]),
        ) as (typeof PVM_KINDS)[number],
        kernel: textField(fields["kernel"], `${at}.kernel`, "hex", isHex).toLowerCase(),
        parameters_ty: micheline("parameters_ty"),
        ...(whitelist !== undefined && {
          whitelist: whitelist.map((one, i) =>
            textField(one, `${at}.whitelist[${i}]`, "an implicit address", isKeyHash),
          ),
        }),
      };
    }
    case "dal_publish_commitment":
      return {
        kind: "dal_publish_commitment",
        ...manager(),
        slot_header: slotHeader(fields["slot_header"], `${at}.slot_header`),
      };
    default:
      return withoutKind(fields["kind"], at);
  }
}

const isRollupAddress = (text: string): text is Address => isRollup(text) && isAddress(text);
const isContract = (text: string): text is Address => isOriginated(text) && isAddress(text);

function slotHeader(json: unknown, at: string): PublishCommitment["slot_header"] {
  const fields = fieldsOf(json, at);
  return {
    slot_index: integerField(
      fields["slot_index"],
      `${at}.slot_index`,
      { least: 0, most: 255 },
      "a number of a slot",
    ),
    commitment: textField(fields["commitment"], `${at}.commitment`, "a slot commitment", (text) =>
      decodeBase58("sh", text),
    ),
    commitment_proof: textField(
      fields["commitment_proof"],
      `${at}.commitment_proof`,
      "96 bytes as hex",
      (text) => isHex(text) && text.length === 192,
    ).toLowerCase(),
  };
}

function withoutKind(kind: unknown, at: string): never {
  if (typeof kind === "string" && UNSUPPORTED_KINDS.has(kind)) throw new UnsupportedKind(kind);
  throw new MalformedJson(`${at}.kind`, "a kind of operation", kind);
}
