// The rules for globals: those that are missing or throw on the real runtime, and the members of Kv, Ledger, console and
// Date that differ there.
import {
  EXTRA_GLOBALS,
  EXTRA_KV_MEMBERS,
  INSTEAD,
  LIMITS,
  realGlobals,
  THROWING_FUNCTIONS,
  THROWING_GETTER,
} from "../../daemon/protocol/real-runtime.ts";
import type { RawFinding } from "./finding.ts";
import type { KnownValues } from "./known-values.ts";
import type { ModuleNames, Scope } from "./scopes.ts";
import { type AnyNode, propertyName } from "./syntax.ts";
import type { Situation, Walk } from "./walk.ts";

type Member = AnyNode & { type: "MemberExpression" };
type Identifier = AnyNode & { type: "Identifier" };

const PROTOCOL_OBJECTS = ["Kv", "console"];

export class GlobalRules {
  readonly #report: Walk["report"];
  readonly #known: KnownValues;
  readonly #now: Situation;
  readonly #made: ReadonlySet<string>;
  readonly #isElsewhere: (name: string) => boolean;
  readonly #real = realGlobals();

  constructor(
    walk: Pick<Walk, "report" | "known" | "now">,
    { made }: ModuleNames,
    isElsewhere: (name: string) => boolean,
  ) {
    this.#report = (...finding) => walk.report(...finding);
    this.#known = walk.known;
    this.#now = walk.now;
    this.#made = made;
    this.#isElsewhere = isElsewhere;
  }

  /** @param isCalled whether it is the callee of a call */
  identifier(node: Identifier, scope: Scope, isCalled: boolean): void {
    const { name } = node;
    if (scope.find(name) !== undefined) return;
    if (name === "Ledger" && this.#runsAtDeploy()) this.#topLevel(name, node);
    if (name === "Date" && isCalled) this.#fixed("Date()", node);
    this.#global(name, node, isCalled);
  }

  /** A call of a name that stands for a member: `const escape = RegExp.escape; escape("a")`. */
  callOf(name: string, scope: Scope): void {
    const known = this.#known.valueOf(name, scope);
    if (known !== undefined) this.#language(known.node, known.scope);
  }

  typeOf(node: Identifier, scope: Scope): void {
    if (node.name === THROWING_GETTER) this.identifier(node, scope, false);
  }

  /** @param isCalled whether it is the callee of a call without `?.` */
  member(node: Member, scope: Scope, isCalled: boolean): void {
    const { object } = node;
    const own = this.#known.globalMember(node, scope);
    if (own === THROWING_GETTER || (own !== undefined && isCalled))
      this.#member(own, node.property, isCalled);
    const inner = this.#known.globalMember(object, scope);
    // `globalThis.x` of a missing global is undefined: only a further member access throws.
    if (inner !== undefined && !node.optional && object.type === "MemberExpression")
      this.#member(inner, object.property, false);
    const name = propertyName(node);
    if (this.#known.isGlobal(object, scope, "Kv") && name !== undefined) this.#kv(name, node.property);
    for (const known of PROTOCOL_OBJECTS)
      if (isCalled && this.#known.isGlobal(object, scope, known) && this.#runsAtDeploy())
        this.#topLevel(known, object);
    if (isCalled) this.#language(node, scope);
    if (!node.optional) this.#language(object, scope); // reads a member of undefined
    if (isCalled && name === "now" && this.#known.isGlobal(object, scope, "Date"))
      this.#fixed("Date.now()", node);
    if (isCalled && name === "random" && this.#known.isGlobal(object, scope, "Math"))
      this.#fixed("Math.random()", node);
  }

  construct(node: AnyNode & { type: "NewExpression" }, scope: Scope): void {
    const own = this.#known.globalMember(node.callee, scope);
    if (own !== undefined && node.callee.type === "MemberExpression")
      this.#member(own, node.callee.property, false);
    if (node.arguments.length === 0 && this.#known.isGlobal(node.callee, scope, "Date"))
      this.#fixed("new Date()", node);
  }

  /** `const { has } = Kv` */
  destructuring(node: AnyNode & { type: "VariableDeclarator" }, scope: Scope): void {
    if (node.id.type !== "ObjectPattern" || !node.init || !this.#known.isGlobal(node.init, scope, "Kv"))
      return;
    for (const property of node.id.properties)
      if (property.type === "Property") this.#kv(propertyName(property) ?? "", property.key, false);
  }

  #runsAtDeploy(): boolean {
    const { atTopLevel, uncertain, caught } = this.#now;
    return atTopLevel && !uncertain && !caught;
  }

  /** A member of the global object. Only well-known names can be reported as missing. */
  #member(name: string, node: AnyNode, isCalled: boolean): void {
    const isThrowing = name === THROWING_GETTER || isThrowingFunction(name);
    if (isThrowing || this.#known.isMissing(name)) this.#global(name, node, isCalled);
  }

  #global(name: string, node: AnyNode, isCalled: boolean): void {
    if (this.#real.has(name) || this.#made.has(name)) return;
    const severity: RawFinding["severity"] = this.#now.caught ? "warning" : "error";
    if (isThrowingFunction(name)) {
      if (!isCalled) return; // passing it on or testing for it is harmless
      const instead = INSTEAD["setTimeout"] ?? "";
      return this.#report("THROWING_GLOBAL", name, node, `${name}() throws. ${instead}`, { severity });
    }
    if (name === THROWING_GETTER) {
      const message = `Reading ${name} throws on the real runtime, in typeof too.`;
      return this.#report("THROWING_GLOBAL", name, node, message, { severity });
    }
    if (this.#isElsewhere(name)) return;
    const here = (EXTRA_GLOBALS as readonly string[]).includes(name)
      ? "exists in this sandbox only"
      : "does not exist";
    const message = `${name} ${here}.${Object.hasOwn(INSTEAD, name) ? ` ${INSTEAD[name]}` : ""}`;
    this.#report("MISSING_GLOBAL", name, node, message, { severity });
  }

  /** A key of an object, a class or a member access: a symbol that is missing makes it the text "undefined". */
  key(node: AnyNode, scope: Scope): void {
    this.#language(node, scope);
  }

  /** A member of the language that is newer than the real runtime's JavaScript, where its absence matters. */
  #language(node: AnyNode, scope: Scope): void {
    const subject = this.#known.extraMember(node, scope);
    if (subject === undefined || node.type !== "MemberExpression") return;
    const severity: RawFinding["severity"] = this.#now.caught ? "warning" : "error";
    const message = `${subject} is newer than the real runtime's JavaScript, and exists in this sandbox only.`;
    const place = subject.includes(".prototype.") ? node.property : node;
    this.#report("MISSING_GLOBAL", subject, place, message, { severity });
  }

  #kv(name: string, node: AnyNode, isReplaceable = true): void {
    if (!(EXTRA_KV_MEMBERS as readonly string[]).includes(name)) return;
    const isName = isReplaceable && node.type === "Identifier";
    this.#report(
      "KV_HAS",
      `Kv.${name}`,
      node,
      `Kv.${name} exists in this sandbox only. Use Kv.contains.`,
      isName ? { replacement: "contains" } : {},
    );
  }

  #topLevel(name: string, node: AnyNode): void {
    this.#report(
      "TOP_LEVEL_ACCESS",
      name,
      node,
      `${name} is used while the module is evaluated, which makes the deploy fail. Use it in the handler.`,
    );
  }

  #fixed(what: string, node: AnyNode): void {
    const value = what === "Math.random()" ? String(LIMITS.random) : new Date(LIMITS.now).toISOString();
    this.#report("FIXED_VALUE", what, node, `${what} is always ${value}.`);
  }
}

const isThrowingFunction = (name: string): boolean =>
  (THROWING_FUNCTIONS as readonly string[]).includes(name);
