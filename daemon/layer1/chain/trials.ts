// Trials on a copy of the state, which leave no trace: simulations, preapplications, scripts run outside of operations.
import { blake2b256 } from "../../tezos/blake2b.ts";
import type { Operation } from "../../tezos/content.ts";
import { withBls } from "../../tezos/curves.ts";
import { forgeOperation, signedBytes } from "../../tezos/operation-codec.ts";
import type { Job } from "../job.ts";
import { permanent } from "../michelson/michelson-error.ts";
import { type AppliedContent, applyOperation } from "../operations/apply-operation.ts";
import type { BlockFrame } from "../operations/execution.ts";
import { OperationRefused } from "../operations/operation-refused.ts";
import { type CheckSignature, refuseSignature, validateOperation } from "../operations/validate.ts";
import { readContext } from "../state/context.ts";
import { Layer, type StateReader } from "../state/store.ts";
import { type Asker, NOBODY, type Turns } from "../turns.ts";
import type { NextBlock } from "./next-block.ts";
import type { SignatureChecks } from "./signature-checks.ts";

/** What trials need of the chain. */
export interface TrialGround {
  readonly strict: boolean;
  readonly turns: Turns;
  readonly signatures: SignatureChecks;
  /** Seconds since 1970. */
  readonly now: () => bigint;
  /** State after the head. */
  readonly head: () => StateReader;
  readonly next: () => NextBlock;
}

export class Trials {
  readonly #ground: TrialGround;

  constructor(ground: TrialGround) {
    this.#ground = ground;
  }

  /** Applies contents to a copy of the state without checking signatures. @throws OperationRefused */
  async simulate({ contents }: Operation, asker = NOBODY): Promise<readonly AppliedContent[]> {
    return this.tryOut(() => this.#simulateJob(contents), asker);
  }

  *#simulateJob(contents: Operation["contents"]): Job<readonly AppliedContent[]> {
    const { layer, frame } = this.#scratch(contents);
    validateOperation(readContext(layer), contents, {
      protocol: frame.protocol,
      signed: undefined,
      isSimulation: true,
    });
    return (yield* applyOperation(layer, contents, new Uint8Array(32), frame)).contents;
  }

  /**
   * Validates and applies signed operations to a copy of the state, one after the other. Together they have the receipts of
   * one: further ones fail with `sandbox.receipt_too_large`.
   * @throws OperationRefused
   */
  async preapply(
    operations: readonly Operation[],
    asker = NOBODY,
  ): Promise<readonly (readonly AppliedContent[])[]> {
    return this.#ground.signatures.after(
      (check) => this.tryOut(() => this.#preapplied(operations, check), asker),
      refuseSignature,
    );
  }

  *#preapplied(
    operations: readonly Operation[],
    check: CheckSignature,
  ): Job<readonly (readonly AppliedContent[])[]> {
    const { layer, frame } = this.#scratch(operations[0]!.contents);
    const results: (readonly AppliedContent[])[] = [];
    let receiptBytes = 0;
    for (const { branch, contents, signature } of operations) {
      if (!signature) throw new OperationRefused([permanent("operation.missing_signature")]);
      const unsigned = forgeOperation(branch, contents);
      validateOperation(readContext(layer), contents, {
        protocol: frame.protocol,
        signed: { unsigned, signature, check },
        isSimulation: false,
      });
      const hash = blake2b256(signedBytes(unsigned, signature));
      const applied = yield* applyOperation(layer, contents, hash, frame, receiptBytes);
      ({ receiptBytes } = applied);
      applied.layer.mergeInto(layer);
      results.push(applied.contents);
      yield;
    }
    return results;
  }

  /** Runs a job that changes nothing, interleaved with others. @throws SandboxError LAYER1_BUSY */
  async tryOut<T>(make: () => Job<T>, { bytes, isGone }: Asker): Promise<T> {
    return withBls(() => this.#ground.turns.run(make, { lane: "trial", bytes, isGone }));
  }

  /**
   * A copy of the state to try an operation on: the head's if the counter is the next one there (clients estimate with the
   * head's counter, whatever they have sent since), otherwise the one with the pending operations.
   */
  #scratch(contents: Operation["contents"]): { readonly layer: Layer; readonly frame: BlockFrame } {
    const { strict, head, next } = this.#ground;
    const first = contents[0];
    const atHead = readContext(head()).account(first.source);
    const fitsHead = strict || (atHead !== undefined && BigInt(first.counter) === atHead.counter + 1n);
    return { layer: new Layer(fitsHead ? head() : next().share()), frame: this.frame };
  }

  /** The block in which trials run. */
  get frame(): BlockFrame {
    const now = this.#ground.now();
    const { frame } = this.#ground.next();
    return { ...frame, timestamp: now > frame.timestamp ? now : frame.timestamp };
  }
}
