// Walks the code of a module as the real runtime would run it: it skips unreachable code, and distinguishes what certainly
// happens (the top level, the order of accesses within a function) from what may happen.
import { FINDINGS, type FindingCode, type Severity } from "../../daemon/protocol/runtime-findings.ts";
import { CallRules } from "./call-rules.ts";
import { exits } from "./exits.ts";
import type { RawFinding } from "./finding.ts";
import { GlobalRules } from "./global-rules.ts";
import { KnownValues, takesRight } from "./known-values.ts";
import { declareBlock, declareVars, functionScope, moduleNames, Scope } from "./scopes.ts";
import { type AnyNode, forEachChild, type FunctionNode, isFunction, namesOf } from "./syntax.ts";
import type { Program, Statements } from "./syntax.ts";

/** What is known about the current code. */
export interface Situation {
  /** Runs when the module is evaluated. */
  atTopLevel: boolean;
  /** May not run, even if the code around it does. */
  uncertain: boolean;
  /** Its exceptions are caught. */
  caught: boolean;
  /** Kv or Ledger has been accessed on every path to here. */
  dirty: boolean;
}

const WITHDRAWAL = /^jstz:\/\/jstz\/(fa-)?withdraw\b/;

/** Findings kept per code, including those in libraries. */
export const MAX_RAW_OF_CODE = 20_000;

export class Walk {
  readonly findings: RawFinding[] = [];
  readonly known: KnownValues;
  readonly now: Situation = { atTopLevel: true, uncertain: false, caught: false, dirty: false };
  readonly #globals: GlobalRules;
  readonly #calls: CallRules;
  readonly #root = new Scope();
  /** Functions whose top-level call was followed. */
  readonly #followed = new Set<AnyNode>();
  readonly #reported = new Set<string>();
  readonly #counts = new Map<FindingCode, number>();

  /** @param isElsewhere whether code outside the program may declare a name */
  constructor(program: Program, isElsewhere: (name: string) => boolean = () => false) {
    const names = moduleNames(program);
    this.known = new KnownValues(names, isElsewhere);
    this.#globals = new GlobalRules(this, names, isElsewhere);
    this.#calls = new CallRules(this);
    declareVars(this.#root, program);
    declareBlock(this.#root, program.body);
    if (!program.body.some(isDefaultExport))
      this.report("NO_HANDLER", "", program, "There is no default export.");
    this.#statements(program.body, this.#root);
  }

  /** @param message what the code does, as a sentence */
  report(
    code: FindingCode,
    subject: string,
    node: { readonly start: number; readonly end: number },
    message: string,
    options: { readonly severity?: Severity; readonly replacement?: string } = {},
  ): void {
    const key = `${code} ${node.start}`;
    if (this.#reported.has(key)) return;
    const count = (this.#counts.get(code) ?? 0) + 1;
    if (count > MAX_RAW_OF_CODE) return;
    this.#counts.set(code, count);
    this.#reported.add(key);
    const { severity = FINDINGS[code].severity, replacement } = options;
    this.findings.push({
      code,
      severity,
      subject,
      message,
      start: node.start,
      end: node.end,
      atTopLevel: this.now.atTopLevel && !this.now.uncertain && !this.now.caught,
      ...(replacement !== undefined && { replacement }),
    });
  }

  /** Visits statements up to the first that always exits the list. */
  #statements(list: Statements, scope: Scope): void {
    const end = list.findIndex((statement) => exits(this.known, statement, scope));
    list.forEach((statement, index) => {
      // Function declarations are hoisted.
      if (end < 0 || index <= end || statement.type === "FunctionDeclaration") this.visit(statement, scope);
    });
  }

  visit(node: AnyNode | null | undefined, scope: Scope): void {
    if (node === null || node === undefined) return;
    if (isFunction(node)) return this.#function(node, scope, false);
    switch (node.type) {
      case "BlockStatement":
      case "StaticBlock": {
        const inner = new Scope(scope);
        declareBlock(inner, node.body);
        return this.#statements(node.body, inner);
      }
      case "IfStatement":
      case "ConditionalExpression":
        return this.#branches(node, scope);
      case "LogicalExpression":
        return this.#logical(node, scope);
      case "TryStatement":
        return this.#try(node, scope);
      case "SwitchStatement":
        return this.#switch(node, scope);
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
        return this.#loop(node, scope);
      case "ClassDeclaration":
      case "ClassExpression":
        return this.#class(node, scope);
      case "CallExpression":
        return this.#call(node, scope);
      case "NewExpression":
        this.#globals.construct(node, scope);
        return this.#children(node, scope);
      case "MemberExpression":
        this.#globals.member(node, scope, false);
        this.visit(node.object, scope);
        if (node.computed) this.#key(node.property, scope);
        return;
      case "Identifier":
        return this.#globals.identifier(node, scope, false);
      case "UnaryExpression":
        if (node.operator === "typeof" && node.argument.type === "Identifier")
          return this.#globals.typeOf(node.argument, scope);
        return this.visit(node.argument, scope);
      case "VariableDeclaration":
        if (node.kind === "using" || node.kind === "await using") this.#using(node);
        return this.#children(node, scope);
      case "VariableDeclarator":
        this.#globals.destructuring(node, scope);
        this.#pattern(node.id, scope);
        return this.visit(node.init, scope);
      case "AssignmentExpression":
        this.#pattern(node.left, scope);
        return this.visit(node.right, scope);
      case "Property":
      case "PropertyDefinition":
      case "MethodDefinition":
        if (node.computed) this.#key(node.key, scope);
        return this.visit(node.value, scope);
      case "Literal":
        return this.#text(node, typeof node.value === "string" ? node.value : "");
      case "TemplateLiteral":
        this.#text(node, node.quasis[0]?.value.cooked ?? "");
        return this.#children(node, scope);
      case "LabeledStatement":
        return this.visit(node.body, scope);
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
        return;
      case "ImportExpression":
        return this.#import(node);
      case "ImportDeclaration":
        return this.#import(node.source);
      case "ExportAllDeclaration":
        return this.#import(node.source);
      case "ExportNamedDeclaration":
        if (node.source) this.#import(node.source);
        else for (const { local } of node.specifiers) this.visit(local, scope);
        return this.visit(node.declaration, scope);
      default:
        return this.#children(node, scope);
    }
  }

  /** A computed key. */
  #key(node: AnyNode, scope: Scope): void {
    this.#globals.key(node, scope);
    this.visit(node, scope);
  }

  #children(node: AnyNode, scope: Scope): void {
    forEachChild(node, (child) => this.visit(child, scope));
  }

  /** Visits the expressions in a pattern: defaults, computed keys, and assigned members. */
  #pattern(node: AnyNode | null | undefined, scope: Scope): void {
    switch (node?.type) {
      case "Identifier":
        return this.#globals.identifier(node, scope, false);
      case "ObjectPattern":
        for (const property of node.properties) {
          if (property.type === "RestElement") this.#pattern(property.argument, scope);
          else {
            if (property.computed) this.visit(property.key, scope);
            this.#pattern(property.value, scope);
          }
        }
        return;
      case "ArrayPattern":
        for (const element of node.elements) this.#pattern(element, scope);
        return;
      case "RestElement":
        return this.#pattern(node.argument, scope);
      case "AssignmentPattern":
        this.#pattern(node.left, scope);
        return this.visit(node.right, scope);
      default:
        return this.visit(node, scope);
    }
  }

  #import(node: AnyNode): void {
    this.report(
      "LATE_IMPORT",
      "import",
      node,
      "The code imports when it runs; a function has nothing to import.",
    );
  }

  /** esbuild rewrites it; only code that is deployed as it is still has it. */
  #using(node: AnyNode & { type: "VariableDeclaration" }): void {
    const message = `\`${node.kind}\` is newer than the real runtime's JavaScript, and works in this sandbox only.`;
    this.report("SYNTAX", node.kind, node, message);
  }

  #text(node: AnyNode, text: string): void {
    const path = WITHDRAWAL.exec(text)?.[0];
    if (path !== undefined)
      this.report(
        "WITHDRAWAL",
        path,
        node,
        `${path} is missing: withdrawals do not work on the real runtime.`,
      );
  }

  /** Runs `act` for code that may not run. Restores `dirty` afterwards. @returns `dirty` at its end */
  #maybe(act: () => void): { readonly dirty: boolean } {
    const { uncertain, dirty } = this.now;
    this.now.uncertain = true;
    act();
    const after = this.now.dirty;
    Object.assign(this.now, { uncertain, dirty });
    return { dirty: after };
  }

  #branches(node: AnyNode & { type: "IfStatement" | "ConditionalExpression" }, scope: Scope): void {
    this.visit(node.test, scope);
    const test = this.known.of(node.test, scope);
    if (test !== undefined) return this.visit(test.value ? node.consequent : node.alternate, scope);
    const yes = this.#maybe(() => this.visit(node.consequent, scope));
    const no = this.#maybe(() => this.visit(node.alternate, scope));
    const isOver = [node.consequent, node.alternate].map((part) => exits(this.known, part, scope));
    this.now.dirty = (isOver[0] || yes.dirty) && (isOver[1] || no.dirty);
  }

  #logical(node: AnyNode & { type: "LogicalExpression" }, scope: Scope): void {
    this.visit(node.left, scope);
    const left = this.known.of(node.left, scope);
    if (left === undefined) this.#maybe(() => this.visit(node.right, scope));
    else if (takesRight(node.operator, left.value)) this.visit(node.right, scope);
  }

  #try(node: AnyNode & { type: "TryStatement" }, scope: Scope): void {
    const { caught, dirty } = this.now;
    this.now.caught = caught || Boolean(node.handler);
    this.visit(node.block, scope);
    this.now.caught = caught;
    if (node.handler) {
      const after = this.now.dirty || exits(this.known, node.block, scope);
      this.now.dirty = dirty; // the exception may precede any access
      const handler = this.#maybe(() => {
        const inner = new Scope(scope);
        namesOf(node.handler?.param, (name) => inner.declare(name));
        this.visit(node.handler?.body, inner);
      });
      this.now.dirty = after && (handler.dirty || exits(this.known, node.handler.body, scope));
    }
    this.visit(node.finalizer, scope);
  }

  #switch(node: AnyNode & { type: "SwitchStatement" }, scope: Scope): void {
    this.visit(node.discriminant, scope);
    const inner = new Scope(scope);
    declareBlock(
      inner,
      node.cases.flatMap(({ consequent }) => consequent),
    );
    for (const { test, consequent } of node.cases)
      this.#maybe(() => {
        this.visit(test, inner);
        this.#statements(consequent, inner);
      });
  }

  #loop(
    node: AnyNode & { type: "ForStatement" | "ForInStatement" | "ForOfStatement" | "WhileStatement" },
    scope: Scope,
  ): void {
    const inner = new Scope(scope);
    const head = node.type === "WhileStatement" ? null : node.type === "ForStatement" ? node.init : node.left;
    if (head?.type === "VariableDeclaration" && head.kind !== "var")
      for (const { id } of head.declarations) namesOf(id, (name) => inner.declare(name));
    if (node.type === "ForInStatement" || node.type === "ForOfStatement") this.visit(node.right, inner);
    if (node.type === "ForStatement") this.visit(head, inner);
    else this.#pattern(head, inner);
    if (node.type === "ForStatement" || node.type === "WhileStatement") {
      this.visit(node.test, inner);
      const test = this.known.of(node.test, inner);
      if (test !== undefined && !test.value) return;
    }
    this.#maybe(() => {
      this.visit(node.body, inner);
      if (node.type === "ForStatement") this.visit(node.update, inner);
    });
  }

  #class(node: AnyNode & { type: "ClassDeclaration" | "ClassExpression" }, scope: Scope): void {
    this.visit(node.superClass, scope);
    const inner = new Scope(scope);
    if (node.id) inner.declare(node.id.name);
    for (const member of node.body.body) {
      const runsNow =
        member.type === "StaticBlock" || (member.type === "PropertyDefinition" && member.static);
      if (runsNow || member.type === "MethodDefinition") this.visit(member, inner);
      else this.#apart(() => this.visit(member, inner)); // runs for each instance
    }
  }

  /** Runs `act` for code that runs later. */
  #apart(act: () => void): void {
    const before = { ...this.now };
    Object.assign(this.now, { atTopLevel: false, uncertain: false, caught: false, dirty: false });
    act();
    Object.assign(this.now, before);
  }

  /** @param runsNow whether it is called right here */
  #function(node: FunctionNode, scope: Scope, runsNow: boolean): void {
    const body = (): void => {
      const inner = functionScope(scope, node);
      for (const parameter of node.params) this.#pattern(parameter, inner);
      if (node.body.type === "BlockStatement") this.#statements(node.body.body, inner);
      else this.visit(node.body, inner);
    };
    if (runsNow) body();
    else this.#apart(body);
  }

  #call(node: AnyNode & { type: "CallExpression" }, scope: Scope): void {
    const { callee } = node;
    for (const argument of node.arguments) this.visit(argument, scope);
    if (isFunction(callee)) this.#function(callee, scope, !callee.generator);
    else if (callee.type === "Identifier") {
      this.#globals.identifier(callee, scope, true);
      if (!node.optional) this.#globals.callOf(callee.name, scope);
      this.#follow(callee.name, scope);
    } else if (callee.type === "MemberExpression") {
      this.#globals.member(callee, scope, !node.optional);
      this.visit(callee.object, scope);
      if (callee.computed) this.#key(callee.property, scope);
      this.#calls.method(node, callee, scope);
    } else this.visit(callee, scope);
    this.#calls.fetch(node, scope);
  }

  /** Follows a call at the top level into the function. */
  #follow(name: string, scope: Scope): void {
    if (!this.now.atTopLevel || this.now.uncertain) return;
    const target = this.known.valueOf(name, scope);
    if (target === undefined || !isFunction(target.node) || target.node.generator) return;
    if (this.#followed.has(target.node)) return;
    this.#followed.add(target.node);
    const { dirty } = this.now;
    this.#function(target.node, target.scope, true);
    this.now.dirty = dirty;
  }
}

function isDefaultExport(node: Program["body"][number]): boolean {
  if (node.type === "ExportDefaultDeclaration") return true;
  if (node.type !== "ExportNamedDeclaration") return false;
  return node.specifiers.some(
    ({ exported }) => (exported.type === "Identifier" ? exported.name : exported.value) === "default",
  );
}
