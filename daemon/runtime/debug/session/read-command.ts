// Reads commands of debug sessions from JSON.
import {
  MOTIONS,
  type Motion,
  type SessionCommand,
  type SourceBreakpoint,
} from "../../../protocol/debug-session-api.ts";
import {
  booleanField,
  fieldsOf,
  integerField,
  listField,
  MalformedJson,
  optionalField,
  textField,
  textsField,
} from "../../../tezos/json-fields.ts";

/** Breakpoints of one source. */
const MAX_BREAKPOINTS = 10_000;

const natural = (value: unknown, at: string): number =>
  integerField(value, at, { least: 0, most: Number.MAX_SAFE_INTEGER }, "a natural number");

const isFilter = (text: string): text is "indexed" | "named" => text === "indexed" || text === "named";

/** Leaves out what is not there. */
function withoutUndefined<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** @throws MalformedJson */
export function commandOf(json: unknown): SessionCommand {
  const fields = fieldsOf(json, "body");
  const text = (name: string): string => textField(fields[name], name);
  const number = (name: string): number => natural(fields[name], name);
  const maybe = (name: string): number | undefined =>
    optionalField(fields[name], (value) => natural(value, name));
  const command = text("command");
  switch (command) {
    case "breakpoints":
      return {
        command,
        source: text("source"),
        breakpoints: breakpointList(fields["breakpoints"]).map(breakpointOf),
      };
    case "exceptions":
      return { command, filters: textsField(fields["filters"], "filters") };
    case "dataBreakpoints":
      return {
        command,
        breakpoints: breakpointList(fields["breakpoints"]).map((each, i) => {
          const at = `breakpoints[${i}]`;
          return { dataId: textField(fieldsOf(each, at)["dataId"], `${at}.dataId`) };
        }),
      };
    case "dataBreakpointInfo":
      return { command, name: text("name") };
    case "go":
      return { command, motion: motionOf(fields["motion"]) };
    case "stack":
    case "exception":
    case "sources":
      return { command };
    case "scopes":
      return { command, frame: number("frame") };
    case "variables": {
      const filter = optionalField(fields["filter"], (value) =>
        textField(value, "filter", "`indexed` or `named`", isFilter),
      );
      const page = withoutUndefined({ filter, start: maybe("start"), count: maybe("count") });
      return { command, ref: number("ref"), ...page };
    }
    case "evaluate": {
      const isWhole = optionalField(fields["isWhole"], (value) => booleanField(value, "isWhole"));
      return {
        command,
        expression: text("expression"),
        ...withoutUndefined({ frame: maybe("frame"), isWhole }),
      };
    }
    case "locations":
      return {
        command,
        source: text("source"),
        line: number("line"),
        ...withoutUndefined({ endLine: maybe("endLine") }),
      };
    case "gotoTargets":
      return { command, source: text("source"), line: number("line") };
    case "source":
      return { command, source: text("source") };
    default:
      throw new MalformedJson("command", "a command of debug sessions", command);
  }
}

const breakpointList = (value: unknown): readonly unknown[] => {
  const list = listField(value, "breakpoints", "a list of breakpoints");
  if (list.length <= MAX_BREAKPOINTS) return list;
  throw new MalformedJson("breakpoints", `at most ${MAX_BREAKPOINTS} breakpoints`, list.length);
};

function breakpointOf(json: unknown, i: number): SourceBreakpoint {
  const at = `breakpoints[${i}]`;
  const fields = fieldsOf(json, at);
  const text = (name: string): string | undefined =>
    optionalField(fields[name], (value) => textField(value, `${at}.${name}`));
  return {
    line: natural(fields["line"], `${at}.line`),
    ...withoutUndefined({
      column: optionalField(fields["column"], (value) => natural(value, `${at}.column`)),
      condition: text("condition"),
      hitCondition: text("hitCondition"),
      logMessage: text("logMessage"),
    }),
  };
}

function motionOf(json: unknown): Motion {
  const fields = fieldsOf(json, "motion");
  const kind = textField(fields["kind"], "motion.kind");
  const known = MOTIONS.find((each) => each === kind);
  if (known !== undefined) return { kind: known };
  switch (kind) {
    case "goto":
      return { kind, moment: natural(fields["moment"], "motion.moment") };
    case "step":
      return { kind, step: natural(fields["step"], "motion.step") };
    case "restartFrame":
      return { kind, frame: natural(fields["frame"], "motion.frame") };
    case "lastChange":
      return { kind, dataId: textField(fields["dataId"], "motion.dataId") };
    default:
      throw new MalformedJson("motion.kind", "a motion", kind);
  }
}
