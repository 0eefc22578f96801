// The breakpoints of the editor: of lines, of exceptions and of data. They are kept here for the whole editor session,
// since each operation that is followed gets a session of its own.
import type { AllBreakpoints, SourceBreakpoint } from "../protocol/debug-session-api.ts";
import { type Fields, fieldsOf, textField } from "../tezos/json-fields.ts";
import type { RemoteSession } from "./adapter-host.ts";
import type { EditorPlaces } from "./editor-places.ts";
import { numberIn } from "./request-fields.ts";

export class EditorBreakpoints {
  readonly #places: EditorPlaces;
  readonly #ofLines = new Map<string, readonly SourceBreakpoint[]>();
  #filters: readonly string[] = [];
  #dataIds: readonly string[] = [];

  constructor(places: EditorPlaces) {
    this.#places = places;
  }

  /** Whether any of them can stop an operation, or print something. */
  get canStop(): boolean {
    const isOfLines = [...this.#ofLines.values()].some((list) => list.length > 0);
    return isOfLines || this.#filters.length > 0 || this.#dataIds.length > 0;
  }

  /** For a session that is opened at its first stop. */
  get all(): AllBreakpoints {
    return {
      breakpoints: [...this.#ofLines].map(([source, breakpoints]) => ({ source, breakpoints })),
      filters: this.#filters,
      dataBreakpoints: this.#dataIds.map((dataId) => ({ dataId })),
    };
  }

  /** @throws SandboxError, MalformedJson; as the others */
  async setLines(session: RemoteSession | undefined, args: Fields): Promise<object> {
    const source = this.#places.ownSource(args);
    const list = Array.isArray(args["breakpoints"]) ? args["breakpoints"] : [];
    const breakpoints = list.map((each: unknown, i) => this.#breakpointIn(each, `breakpoints[${i}]`));
    this.#ofLines.set(source, breakpoints);
    if (session === undefined) {
      const message = "It is placed once an operation runs this file.";
      return { breakpoints: breakpoints.map(() => ({ verified: false, message, reason: "pending" })) };
    }
    const { breakpoints: placed } = await session.ask({ command: "breakpoints", source, breakpoints });
    return {
      breakpoints: placed.map(({ line, column, ...rest }) => ({
        ...rest,
        ...(line === undefined ? {} : { line: this.#places.shownLine(line) }),
        ...(column === undefined ? {} : { column: this.#places.shownColumn(column) }),
        ...(rest.verified ? {} : { reason: "failed" }),
      })),
    };
  }

  #breakpointIn(value: unknown, at: string): SourceBreakpoint {
    const fields = fieldsOf(value, at);
    const text = (name: string): object => {
      const found = fields[name];
      return typeof found === "string" && found !== "" ? { [name]: found } : {};
    };
    const column = fields["column"];
    return {
      line: this.#places.ownLine(numberIn(fields, "line", at)),
      ...(typeof column === "number" ? { column: this.#places.ownColumn(column) } : {}),
      ...text("condition"),
      ...text("hitCondition"),
      ...text("logMessage"),
    };
  }

  async setExceptions(session: RemoteSession | undefined, args: Fields): Promise<object> {
    this.#filters = Array.isArray(args["filters"]) ? args["filters"].map(String) : [];
    await session?.ask({ command: "exceptions", filters: this.#filters });
    return { breakpoints: this.#filters.map(() => ({ verified: true })) };
  }

  async setData(session: RemoteSession | undefined, args: Fields): Promise<object> {
    const list = Array.isArray(args["breakpoints"]) ? args["breakpoints"] : [];
    this.#dataIds = list.map((each: unknown, i) => {
      const at = `breakpoints[${i}]`;
      return textField(fieldsOf(each, at)["dataId"], `${at}.dataId`);
    });
    const breakpoints = this.#dataIds.map((dataId) => ({ dataId }));
    await session?.ask({ command: "dataBreakpoints", breakpoints });
    return { breakpoints: breakpoints.map(() => ({ verified: true })) };
  }

  /** Where breakpoints can be. */
  async locations(session: RemoteSession | undefined, args: Fields): Promise<object> {
    if (session === undefined) return { breakpoints: [] };
    const line = this.#places.ownLine(numberIn(args, "line"));
    const endLine = typeof args["endLine"] === "number" ? this.#places.ownLine(args["endLine"]) : line;
    const source = this.#places.ownSource(args);
    const { locations } = await session.ask({ command: "locations", source, line, endLine });
    return {
      breakpoints: locations.map((each) => ({
        line: this.#places.shownLine(each.line),
        column: this.#places.shownColumn(each.column),
      })),
    };
  }
}
