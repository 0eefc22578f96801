// Parses untrusted JSON of operations.
import { signatureBytes } from "./address.ts";
import { decodeBase58 } from "./base58.ts";
import { parseAnyContent, parseContent } from "./content-json.ts";
import type { Content, Operation } from "./content.ts";
import { fieldsOf, listField, textField } from "./json-fields.ts";
import type { OtherContent } from "./other-content.ts";

/**
 * Parses `{branch, contents, signature?}`.
 * @throws MalformedJson, UnsupportedKind
 */
export function parseOperationJson(
  json: unknown,
  at = "operation",
): Operation & { readonly signatureText: string | undefined } {
  const { branch, signature, ...rest } = fieldsOf(json, at);
  const [first, ...others] = contentsOf(rest["contents"], at);
  const signatureText =
    signature === undefined
      ? undefined
      : textField(signature, `${at}.signature`, "a signature", signatureBytes);
  return {
    branch: branchOf(branch, at),
    contents: [
      parseContent(first, `${at}.contents[0]`),
      ...others.map((content, i) => parseContent(content, `${at}.contents[${i + 1}]`)),
    ],
    signature: signatureText === undefined ? undefined : signatureBytes(signatureText),
    signatureText,
  };
}

function branchOf(branch: unknown, at: string): string {
  return textField(branch, `${at}.branch`, "a block hash", (text) => decodeBase58("blockHash", text));
}

function contentsOf(contents: unknown, at: string): readonly unknown[] {
  return listField(contents, `${at}.contents`, "a list of contents", { least: 1, most: 1000 });
}

/** As {@link parseOperationJson}, for operations of any kind that are only to be encoded. */
export function parseForgeable(json: unknown): {
  readonly branch: string;
  readonly contents: readonly (Content | OtherContent)[];
} {
  const { branch, contents } = fieldsOf(json, "body");
  return {
    branch: branchOf(branch, "body"),
    contents: contentsOf(contents, "body").map((content, i) =>
      parseAnyContent(content, `body.contents[${i}]`),
    ),
  };
}
