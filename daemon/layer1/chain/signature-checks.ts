// Signatures of tz4 keys take as long to check as many operations take to apply, and nothing pays for a wrong one. So they
// are checked apart from the line of operations: one at a time, in turns of the accounts that they are said to be of.
import { SandboxError } from "../../protocol/errors.ts";
import { toByteText } from "../../tezos/byte-text.ts";
import { checkSignature } from "../../tezos/check-signature.ts";
import { loadBls } from "../../tezos/curves.ts";
import type { CheckSignature, Signed } from "../operations/validate.ts";
import type { Turns } from "../turns.ts";

/** Checks that may wait, and those of one account: its next operation is checked when the one before it was taken. */
const MAX_WAITING = 24;
const MAX_OF_ACCOUNT = 4;

interface Check {
  readonly publicKey: string;
  readonly signed: Signed;
}

interface Waiting extends Check {
  readonly resolve: (isRight: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Whoever validates goes on when this signature was checked. */
class SignatureNeeded extends Error {
  readonly check: Check;

  constructor(check: Check) {
    super("signature needed");
    this.name = "SignatureNeeded";
    this.check = check;
  }
}

const isSlow = (publicKey: string): boolean => publicKey.startsWith("BLpk");

export class SignatureChecks {
  readonly #turns: Turns;
  readonly #check: CheckSignature;
  /** By public key; the first one is the next. */
  readonly #queues = new Map<string, Waiting[]>();
  #waiting = 0;
  #isBusy = false;

  constructor(turns: Turns, check: CheckSignature = checkSigned) {
    this.#turns = turns;
    this.#check = check;
  }

  /**
   * Does something that needs to know of one signature at most before it changes anything. It is begun anew when the
   * signature was checked.
   * @throws SandboxError LAYER1_BUSY when too many wait to be checked
   */
  async before<T>(run: (check: CheckSignature) => Promise<T>): Promise<T> {
    const known = new Map<string, boolean>();
    const look: CheckSignature = (publicKey, signed) => {
      if (!isSlow(publicKey)) return this.#check(publicKey, signed);
      const isRight = known.get(publicKey);
      if (isRight === undefined) throw new SignatureNeeded({ publicKey, signed });
      return isRight;
    };
    for (;;) {
      try {
        return await run(look);
      } catch (error) {
        if (!(error instanceof SignatureNeeded)) throw error;
        known.set(error.check.publicKey, await this.#ask(error.check));
      }
    }
  }

  /**
   * Does something that changes nothing as if all signatures were right, and then looks whether they are.
   * @param refuse throws what a wrong signature is refused with
   * @throws SandboxError LAYER1_BUSY as {@link before}
   */
  async after<T>(run: (check: CheckSignature) => Promise<T>, refuse: () => never): Promise<T> {
    /** By all that is in them: what is begun anew asks for the same ones again. */
    const needed = new Map<string, Check>();
    const note: CheckSignature = (publicKey, signed) => {
      if (!isSlow(publicKey)) return this.#check(publicKey, signed);
      const parts = [signed.signature, signed.message].map(toByteText);
      needed.set([publicKey, ...parts].join(" "), { publicKey, signed });
      return true;
    };
    // Whatever went wrong came after the signatures that were looked at.
    const outcome = await run(note).then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    for (const check of needed.values()) if (!(await this.#ask(check))) refuse();
    return outcome();
  }

  #ask(check: Check): Promise<boolean> {
    const queue = this.#queues.get(check.publicKey) ?? [];
    if (this.#waiting >= MAX_WAITING || queue.length >= MAX_OF_ACCOUNT)
      throw new SandboxError("LAYER1_BUSY", { waiting: this.#waiting });
    return new Promise((resolve, reject) => {
      queue.push({ ...check, resolve, reject });
      this.#queues.set(check.publicKey, queue);
      this.#waiting++;
      this.#advance();
    });
  }

  #advance(): void {
    const next = this.#isBusy ? undefined : this.#take();
    if (!next) return;
    this.#isBusy = true;
    void loadBls()
      .then(() => this.#turns.alone(() => this.#check(next.publicKey, next.signed)))
      .then(next.resolve, next.reject)
      .then(() => {
        this.#isBusy = false;
        this.#advance();
      });
  }

  /** The first one of the account whose turn it is, which then is the last. */
  #take(): Waiting | undefined {
    for (const [publicKey, queue] of this.#queues) {
      const [first, ...rest] = queue;
      this.#queues.delete(publicKey);
      if (!first) continue;
      if (rest.length > 0) this.#queues.set(publicKey, rest);
      this.#waiting--;
      return first;
    }
    return undefined;
  }
}

const checkSigned: CheckSignature = (publicKey, { signature, message }) =>
  checkSignature(publicKey, signature, message);
