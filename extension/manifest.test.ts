// Checks the manifest against the code: ids, settings, icons, texts.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { editorTools, inputSchema } from "../daemon/protocol/agent-tools.ts";
import { DEFAULT_PORTS, VERSION } from "../daemon/protocol/constants.ts";
import {
  COMMANDS,
  CONTEXT_KEYS,
  DEBUG_TYPE,
  MCP_PROVIDER,
  PROBLEM_MATCHERS,
  SETTINGS,
  TASK_TYPE,
  VIEWS,
  WALKTHROUGH,
} from "./ids.ts";

const ROOT = resolve(import.meta.dirname, "..");
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), "utf8")) as never;

interface Menu {
  readonly command: string;
  readonly when?: string;
}
interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
}
interface Manifest {
  readonly version: string;
  readonly main: string;
  readonly icon: string;
  readonly engines: { readonly vscode: string };
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly icon: string;
      readonly category: string;
    }[];
    readonly menus: Readonly<Record<string, readonly Menu[]>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly icon: string }[]>>;
    readonly viewsContainers: {
      readonly activitybar: readonly { readonly id: string; readonly icon: string }[];
    };
    readonly viewsWelcome: readonly {
      readonly view: string;
      readonly contents: string;
      readonly when: string;
    }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Setting>> }[];
    readonly walkthroughs: readonly {
      readonly id: string;
      readonly steps: readonly {
        readonly description: string;
        readonly completionEvents: readonly string[];
        readonly media: { readonly image: Readonly<Record<string, string>> };
      }[];
    }[];
    readonly taskDefinitions: readonly { readonly type: string }[];
    readonly problemMatchers: readonly { readonly name: string }[];
    readonly problemPatterns: readonly { readonly regexp: string }[];
    readonly debuggers: readonly { readonly type: string }[];
    readonly languageModelTools: readonly object[];
    readonly mcpServerDefinitionProviders: readonly { readonly id: string }[];
  };
}

const manifest: Manifest = read("package.json");
const texts: Record<string, string> = read("package.nls.json");
const { contributes } = manifest;
const commandIds = Object.values<string>(COMMANDS);
const viewIds = [VIEWS.sandbox, VIEWS.accounts, VIEWS.functions, VIEWS.operations] as string[];
const whens = [
  ...Object.values(contributes.menus)
    .flat()
    .map(({ when }) => when ?? ""),
  ...contributes.viewsWelcome.map(({ when }) => when),
];

it("contributes exactly the commands that are registered", () => {
  expect(contributes.commands.map(({ command }) => command).sort()).toEqual([...commandIds].sort());
  for (const { category, icon } of contributes.commands)
    expect([category, icon]).toEqual(["functez", expect.stringMatching(/^\$\([a-z-]+\)$/)]);
});

it("has menus and welcome texts of existing commands only", () => {
  const inMenus = Object.values(contributes.menus)
    .flat()
    .map(({ command }) => command);
  const linked = Object.values(texts).flatMap((text) =>
    [...text.matchAll(/command:([\w.]+)/g)].map((match) => match[1]!),
  );
  // The editor's own commands, such as workbench.trust.manage, have stable names.
  const own = linked.filter((id) => !id.startsWith("workbench."));
  for (const id of [...inMenus, ...own]) expect(commandIds).toContain(id);
});

it("contributes the tools for language models as the table has them", () => {
  const expected = editorTools().map(([name, tool]) => ({
    name,
    tags: ["functez", "tezos"],
    displayName: `%${name.replace("functez_", "tool.")}%`,
    modelDescription: tool.description,
    toolReferenceName: name.replaceAll("_", "-"),
    canBeReferencedInPrompt: true,
    userDescription: `%${name.replace("functez_", "tool.")}.description%`,
    inputSchema: inputSchema(tool),
  }));
  expect(contributes.languageModelTools).toEqual(expected);
});

it("contributes exactly the views, tasks and the walkthrough of the code", () => {
  expect(contributes.viewsContainers.activitybar.map(({ id }) => id)).toEqual([VIEWS.container]);
  expect(contributes.views[VIEWS.container]?.map(({ id }) => id)).toEqual(viewIds);
  expect(contributes.mcpServerDefinitionProviders.map(({ id }) => id)).toEqual([MCP_PROVIDER]);
  expect(contributes.taskDefinitions.map(({ type }) => type)).toEqual([TASK_TYPE]);
  expect(contributes.problemMatchers.map(({ name }) => name)).toEqual(Object.values(PROBLEM_MATCHERS));
  expect(contributes.debuggers.map(({ type }) => type)).toEqual([DEBUG_TYPE]);
  expect(contributes.walkthroughs.map(({ id }) => id)).toEqual([WALKTHROUGH]);
});

it("uses only known context keys and views in when clauses", () => {
  const own = whens.flatMap((when) => [...when.matchAll(/functez\.\w+/g)].map((match) => match[0]));
  for (const key of own) expect([...Object.values<string>(CONTEXT_KEYS), ...viewIds]).toContain(key);
  const states = whens.flatMap((when) =>
    [...when.matchAll(/functez\.state [!=]= (\w+)/g)].map((match) => match[1]),
  );
  for (const state of states)
    expect(["stopped", "starting", "running", "stopping", "failed"]).toContain(state);
});

it("contributes exactly the settings that are read, with the right defaults", () => {
  const properties = Object.assign(
    {},
    ...contributes.configuration.map((section) => section.properties),
  ) as Record<string, Setting>;
  const { section, ...keys } = SETTINGS;
  expect(Object.keys(properties).sort()).toEqual(
    Object.values(keys)
      .map((key) => `${section}.${key}`)
      .sort(),
  );
  for (const [key, setting] of Object.entries(properties)) {
    const kind = setting.type === "integer" ? "number" : setting.type;
    expect(typeof setting.default, key).toEqual(kind);
    if (setting.enum) expect(setting.enum).toContain(setting.default);
    if (typeof setting.default === "number") {
      expect(setting.default).toBeGreaterThanOrEqual(setting.minimum ?? -Infinity);
      expect(setting.default).toBeLessThanOrEqual(setting.maximum ?? Infinity);
    }
  }
  expect(properties["functez.sandbox.serverPort"]?.default).toBe(DEFAULT_PORTS.sandboxd);
  expect(properties["functez.sandbox.layer1Port"]?.default).toBe(DEFAULT_PORTS.layer1_node);
  expect(properties["functez.sandbox.runtimePort"]?.default).toBe(DEFAULT_PORTS.runtime_node);
  for (const key of manifest.capabilities.untrustedWorkspaces.restrictedConfigurations)
    expect(properties).toHaveProperty([key]);
});

it("has a text for every key, no unused keys, and no visible text elsewhere", () => {
  const source = readFileSync(join(ROOT, "package.json"), "utf8");
  const used = [...source.matchAll(/"%([\w.]+)%"/g)].map((match) => match[1]!);
  expect([...new Set(used)].sort()).toEqual(Object.keys(texts).sort());
  for (const text of Object.values(texts)) expect(text).not.toMatch(/^%|%$/);
  for (const { title } of contributes.commands) expect(title).toMatch(/^%[\w.]+%$/);
});

it("finds the position of an error in the command line's output", () => {
  const pattern = new RegExp(contributes.problemPatterns[0]!.regexp);
  expect(pattern.exec('  src/my file.ts:2:18: Expected ")" but found "{"')?.slice(1)).toEqual([
    "src/my file.ts",
    "2",
    "18",
    'Expected ")" but found "{"',
  ]);
  expect(pattern.exec("  C:\\a\\b.mts:1:1: no")?.slice(1, 3)).toEqual(["C:\\a\\b.mts", "1"]);
  expect(pattern.exec("[12:00:01] Deploying src/a.ts as a")).toBeNull();
});

it("has the pictures it refers to, and the same version everywhere", () => {
  const pictures = [
    manifest.icon,
    ...contributes.viewsContainers.activitybar.map(({ icon }) => icon),
    ...Object.values(contributes.views)
      .flat()
      .map(({ icon }) => icon),
    ...contributes.walkthroughs.flatMap(({ steps }) =>
      steps.flatMap(({ media }) => Object.values(media.image)),
    ),
  ];
  for (const picture of pictures) expect(existsSync(join(ROOT, picture)), picture).toBe(true);
  expect(manifest.version).toBe(VERSION);
  expect(manifest.main).toBe("./dist/extension.cjs");
  expect(Number(/\^1\.(\d+)\./.exec(manifest.engines.vscode)?.[1])).toBeLessThanOrEqual(100);
});
