// The rules for calls: requests to the outside after an access to the state, and calls that are alive at once.
import { LIMITS } from "../../daemon/protocol/real-runtime.ts";
import type { KnownValues } from "./known-values.ts";
import type { Scope } from "./scopes.ts";
import { type AnyNode, propertyName } from "./syntax.ts";
import type { Situation, Walk } from "./walk.ts";

type Call = AnyNode & { type: "CallExpression" };
type Member = AnyNode & { type: "MemberExpression" };

const OUTSIDE = /^https?:\/\//i;
/** The URL of a smart function, neither a user account nor the runtime itself. */
const FUNCTION_CALL = /^jstz:\/\/(?!jstz\/|tz[1-4])/;
const STATE_METHODS: Readonly<Record<string, readonly string[]>> = {
  Kv: ["get", "set", "delete", "contains", "has"],
  Ledger: ["balance", "transfer"],
};
const GATHERERS = ["all", "allSettled", "any", "race"];

export class CallRules {
  readonly #report: Walk["report"];
  readonly #known: KnownValues;
  readonly #now: Situation;

  constructor(walk: Pick<Walk, "report" | "known" | "now">) {
    this.#report = (...finding) => walk.report(...finding);
    this.#known = walk.known;
    this.#now = walk.now;
  }

  /** A call of a method. */
  method(node: Call, callee: Member, scope: Scope): void {
    for (const [object, methods] of Object.entries(STATE_METHODS))
      if (this.#known.isGlobal(callee.object, scope, object) && methods.includes(propertyName(callee) ?? ""))
        this.#now.dirty = true;
    this.#liveCalls(node, callee, scope);
  }

  /** A call that may be one of `fetch`. */
  fetch(node: Call, scope: Scope): void {
    if (!this.#known.isGlobal(node.callee, scope, "fetch")) return;
    const url = this.#known.prefixOf(node.arguments[0], scope);
    if (OUTSIDE.test(url) && this.#now.dirty)
      this.#report(
        "OUTSIDE_AFTER_STATE",
        "fetch",
        node,
        "This request is answered with 400, because Kv or Ledger was accessed before it. Make it first.",
      );
    if (url.startsWith("jstz://jstz/balances/")) this.#now.dirty = true;
  }

  /** `Promise.all([fetch(…), fetch(…), …])` keeps all calls alive at once. */
  #liveCalls(node: Call, callee: Member, scope: Scope): void {
    const [list] = node.arguments;
    if (list?.type !== "ArrayExpression" || !this.#known.isGlobal(callee.object, scope, "Promise")) return;
    if (!GATHERERS.includes(propertyName(callee) ?? "")) return;
    const calls = list.elements.filter(
      (element) =>
        element?.type === "CallExpression" &&
        this.#known.isGlobal(element.callee, scope, "fetch") &&
        FUNCTION_CALL.test(this.#known.prefixOf(element.arguments[0] as AnyNode | undefined, scope)),
    );
    if (calls.length + 1 > LIMITS.liveCalls)
      this.#report(
        "LIVE_CALLS",
        String(calls.length),
        node,
        `${calls.length} calls are alive here beside the function itself; the real runtime has at most ${LIMITS.liveCalls} in all. Await some before the next.`,
      );
  }
}
