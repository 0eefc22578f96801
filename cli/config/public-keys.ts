// Development keys are published: whoever knows them can take what their accounts get. They are for the sandbox.
import { BOOTSTRAP_ACCOUNTS, ROLLUP_OPERATOR } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";

/** `bootstrap1` of the Jstz sandbox, whose key is published as well; the others are those of this sandbox. */
const JSTZ_BOOTSTRAP = "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg";

const PUBLIC_ACCOUNTS: ReadonlySet<string> = new Set([
  ...[...BOOTSTRAP_ACCOUNTS, ROLLUP_OPERATOR].map(({ address }) => address),
  JSTZ_BOOTSTRAP,
]);

/** Whether the key of an account is published. */
export const isPublished = (address: string): boolean => PUBLIC_ACCOUNTS.has(address);

/** What decides whether a key may sign. */
export interface SigningRules {
  readonly isSandbox: boolean;
  /** `--yes-public-key` */
  readonly yesPublicKey?: boolean | undefined;
}

/** @throws SandboxError PUBLIC_KEY_REFUSED for the account of a published key outside of the sandbox */
export function requirePrivateKey(address: string, { isSandbox, yesPublicKey }: SigningRules): void {
  if (isSandbox || yesPublicKey === true || !isPublished(address)) return;
  throw new SandboxError("PUBLIC_KEY_REFUSED", { address });
}
