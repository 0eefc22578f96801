// The receipt of an operation, as clients read it.
import { SandboxError } from "./errors.ts";

export interface DeployReceipt {
  readonly _type: "DeployFunction";
  readonly address: string;
}

export interface RunReceipt {
  readonly _type: "RunFunction";
  /** Base64, or null for an empty body. */
  readonly body: string | null;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export interface DepositReceipt {
  readonly _type: "Deposit";
  readonly account: string;
  /** mutez */
  readonly updatedBalance: bigint;
}

export interface FaDepositReceipt {
  readonly _type: "FaDeposit";
  /** Who holds the tickets. */
  readonly receiver: string;
}

/** Of a kind whose content no client reads. */
export interface OtherReceipt {
  readonly _type: "Other";
  readonly kind: string;
}

export type ReceiptContent = DeployReceipt | RunReceipt | DepositReceipt | FaDepositReceipt | OtherReceipt;

export interface Failed {
  readonly _type: "Failed";
  readonly inner: string;
}

/** Result of a finished operation. */
export type ReceiptResult<Content = ReceiptContent> =
  | { readonly _type: "Success"; readonly inner: Content }
  | Failed;

export interface Receipt<Content = ReceiptContent> {
  readonly hash: readonly number[];
  readonly result: ReceiptResult<Content>;
}

/** Content of the receipt of an operation of a kind. */
export type ContentOf<Kind extends ReceiptContent["_type"]> = Extract<
  ReceiptContent,
  { readonly _type: Kind }
>;

/**
 * The same receipt, known to be of one kind of operation.
 * @param url of the node that gave it
 * @throws SandboxError ANSWER_MALFORMED when it is of another kind
 */
export function receiptOfKind<Kind extends ReceiptContent["_type"]>(
  { hash, result }: Receipt,
  kind: Kind,
  url: string,
): Receipt<ContentOf<Kind>> {
  if (result._type === "Failed") return { hash, result };
  const { inner } = result;
  if (isOfKind(inner, kind)) return { hash, result: { _type: "Success", inner } };
  const found = inner._type === "Other" ? inner.kind : inner._type;
  const reason = `the receipt of ${kind} is one of ${found}`;
  throw new SandboxError("ANSWER_MALFORMED", { what: "The runtime", url, reason });
}

const isOfKind = <Kind extends ReceiptContent["_type"]>(
  content: ReceiptContent,
  kind: Kind,
): content is ContentOf<Kind> => content._type === kind;
