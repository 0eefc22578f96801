// What the editor shows of a stopped operation, in the terms of the protocol: the stack, scopes, variables, results of
// expressions, the exception, and where `goto` can lead.
import type { SessionVariable } from "../protocol/debug-session-api.ts";
import { visible } from "../text/visible-text.ts";
import { type Fields, textField } from "../tezos/json-fields.ts";
import type { AdapterHost } from "./adapter-host.ts";
import type { CurrentSession } from "./current-session.ts";
import type { EditorPlaces } from "./editor-places.ts";
import { frameIndexIn, requiredFrameIndex, shownStack } from "./frames.ts";
import { numberIn } from "./request-fields.ts";

/** Each request throws SandboxError, and MalformedJson when its arguments are bad. */
export class Inspection {
  readonly #host: Pick<AdapterHost, "nameOf">;
  readonly #session: Pick<CurrentSession, "need">;
  readonly #places: EditorPlaces;
  /** Data that variables of the last stop stand for. */
  readonly #dataOf = new Map<string, string>();

  constructor(
    host: Pick<AdapterHost, "nameOf">,
    session: Pick<CurrentSession, "need">,
    places: EditorPlaces,
  ) {
    this.#host = host;
    this.#session = session;
    this.#places = places;
  }

  /** Forgets the variables of the last stop. */
  clear(): void {
    this.#dataOf.clear();
  }

  async stackTrace(args: Fields): Promise<object> {
    const { frames } = await this.#session.need().ask({ command: "stack" });
    const nameOf = (address: string): string => this.#host.nameOf(address);
    return shownStack(frames, { places: this.#places, nameOf }, args);
  }

  async scopes(args: Fields): Promise<object> {
    const frame = requiredFrameIndex(args);
    if (frame === undefined) return { scopes: [] };
    const { scopes } = await this.#session.need().ask({ command: "scopes", frame });
    return {
      scopes: scopes.map(({ name, ref, named, indexed }) => ({
        name,
        variablesReference: ref,
        namedVariables: named,
        indexedVariables: indexed,
        // Editors open the others only when asked.
        expensive: name !== "Local",
        ...(name === "Local" ? { presentationHint: "locals" } : {}),
      })),
    };
  }

  async variables(args: Fields): Promise<object> {
    const ref = numberIn(args, "variablesReference");
    const { filter, start, count } = args;
    const { variables } = await this.#session.need().ask({
      command: "variables",
      ref,
      ...(filter === "indexed" || filter === "named" ? { filter } : {}),
      ...(typeof start === "number" ? { start } : {}),
      ...(typeof count === "number" ? { count } : {}),
    });
    for (const { name, dataId } of variables)
      if (dataId !== undefined) this.#dataOf.set(`${ref} ${visible(name)}`, dataId);
    return { variables: variables.map(shownVariable) };
  }

  /** The data that a variable, or a name, stands for: what a data breakpoint can watch. */
  async dataBreakpointInfo(args: Fields): Promise<object> {
    const name = textField(args["name"], "name");
    const ref = args["variablesReference"];
    const watched = typeof ref === "number" && ref > 0 ? this.#dataOf.get(`${ref} ${name}`) : name;
    if (watched === undefined)
      return { dataId: null, description: "Only keys of stores and balances are watched." };
    const info = await this.#session.need().ask({ command: "dataBreakpointInfo", name: watched });
    const { dataId, description } = info;
    return { dataId, description, accessTypes: ["write"], canPersist: true };
  }

  async evaluate(args: Fields): Promise<object> {
    const expression = textField(args["expression"], "expression");
    const isWhole = args["context"] === "clipboard" || args["context"] === "repl";
    const frame = frameIndexIn(args);
    const { value, type, ref, named, indexed } = await this.#session.need().ask({
      command: "evaluate",
      expression,
      isWhole,
      ...(frame === undefined ? {} : { frame }),
    });
    return {
      result: args["context"] === "clipboard" ? value : visible(value),
      type,
      variablesReference: ref,
      namedVariables: named,
      indexedVariables: indexed,
      presentationHint: { attributes: ["readOnly"] },
    };
  }

  async exceptionInfo(): Promise<object> {
    const { text, isUncaught, stack } = await this.#session.need().ask({ command: "exception" });
    return {
      exceptionId: /^\w+(?=:|$)/.exec(text)?.[0] ?? "Thrown value",
      description: visible(text),
      breakMode: isUncaught ? "unhandled" : "always",
      ...(stack === null ? {} : { details: { message: visible(text), stackTrace: visible(stack) } }),
    };
  }

  async gotoTargets(args: Fields): Promise<object> {
    const source = this.#places.ownSource(args);
    const line = this.#places.ownLine(numberIn(args, "line"));
    const { targets } = await this.#session.need().ask({ command: "gotoTargets", source, line });
    return {
      targets: targets.map(({ moment, label, line: at, column }) => ({
        id: moment,
        label,
        line: this.#places.shownLine(at),
        column: this.#places.shownColumn(column),
      })),
    };
  }

  /** Text of a source that is no file of the editor. */
  async source(args: Fields): Promise<object> {
    const session = this.#session.need();
    const { text } = await session.ask({
      command: "source",
      source: this.#places.ownSourceOrReference(args),
    });
    return { content: text, mimeType: "text/javascript" };
  }
}

/** Names and values are texts of guests: invisible characters are shown by their codes. */
function shownVariable(variable: SessionVariable): object {
  const { name, value, type, ref, named, indexed, evaluateName, isLazy, isInternal } = variable;
  const attributes = ["readOnly"];
  return {
    name: visible(name),
    value: visible(value),
    type,
    variablesReference: ref,
    namedVariables: named,
    indexedVariables: indexed,
    ...(evaluateName === undefined ? {} : { evaluateName }),
    presentationHint: {
      attributes,
      ...(isLazy === true ? { lazy: true } : {}),
      ...(isInternal === true ? { visibility: "internal" } : {}),
    },
  };
}
