// `functez check` as users run it: forms of output, exit codes, and what it says of the examples.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BuiltCli, builtCli, ROOT } from "./support/built-cli.ts";

let cli: BuiltCli;
beforeAll(() => {
  cli = builtCli();
  for (const name of ["src", "empty"]) mkdirSync(join(cli.configHome, name));
  const code = "export default () => new Response(Kv.has('a') ? Date.now() : crypto.randomUUID());\n";
  writeFileSync(join(cli.configHome, "src/index.ts"), code);
  writeFileSync(join(cli.configHome, "good.ts"), "export default (): Response => new Response();\n");
  writeFileSync(join(cli.configHome, "broken.ts"), "export default (: Response => 1;\n");
});
afterAll(() => cli.dispose());

const check = (...args: string[]) => cli.functez(args, { cwd: cli.configHome });

/** Those about what only this sandbox has: their README says so. */
const ABOUT_EXTRAS: Readonly<Record<string, string>> = { "fa-vault/index.ts": "WITHDRAWAL" };

it("passes the examples, except those about what only the sandbox has, which say so", async () => {
  const folder = join(ROOT, "examples");
  const sources = (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /^[^.]+\.ts$/.test(name));
  expect(sources.length).toBeGreaterThan(8);
  const { stdout } = await cli.functez(["--json", "check", ...sources.map((name) => join(folder, name))]);
  const { files } = JSON.parse(stdout) as {
    files: { file: string; findings: { code: string; severity: string }[] }[];
  };
  const reported = files.flatMap(({ file, findings }) =>
    findings
      .filter(({ severity }) => severity !== "note")
      .map(({ code }) => [file.slice(folder.length + 1).replaceAll("\\", "/"), code] as const),
  );
  expect(Object.fromEntries(reported)).toEqual(ABOUT_EXTRAS);
  for (const name of Object.keys(ABOUT_EXTRAS))
    expect(readFileSync(join(folder, name, "../README.md"), "utf8")).toContain("functez check");
});

it("prints a line for each finding, checks the usual file if none is named, and fails for errors", async () => {
  expect(await check("check")).toEqual({
    code: 1,
    stdout: [
      "src/index.ts:1:38: error KV_HAS: Kv.has exists in this sandbox only. Use Kv.contains.\n",
      "src/index.ts:1:49: note FIXED_VALUE: Date.now() is always 2018-06-30T17:39:57.121Z.\n",
      "src/index.ts:1:62: error MISSING_GLOBAL: crypto exists in this sandbox only. Take randomness from the request, or from a web service.\n",
    ].join(""),
    stderr: "1 file checked: 2 errors, 1 note\n",
  });
  expect(await check("check", "good.ts")).toEqual({
    code: 0,
    stdout: "",
    stderr: "1 file checked: nothing found\n",
  });
});

it("prints JSON with places, and what to write instead", async () => {
  const [plain, global] = await Promise.all([check("check", "--format", "json"), check("--json", "check")]);
  expect([plain.code, JSON.parse(plain.stdout)]).toEqual([global.code, JSON.parse(global.stdout)]);
  expect(JSON.parse(plain.stdout)).toMatchObject({
    errors: 2,
    warnings: 0,
    files: [
      {
        file: "src/index.ts",
        bundled: true,
        findings: [
          {
            code: "KV_HAS",
            severity: "error",
            place: { path: "src/index.ts", line: 1, column: 38, endColumn: 41 },
            replacement: "contains",
          },
          { code: "FIXED_VALUE", severity: "note" },
          { code: "MISSING_GLOBAL" },
        ],
      },
    ],
  });
});

it("prints SARIF 2.1.0, with rules, regions and fixes", async () => {
  const { code, stdout } = await check("check", "--format", "sarif", "src/index.ts", "good.ts");
  const log = JSON.parse(stdout) as {
    version: string;
    runs: [{ tool: { driver: { rules: { id: string }[] } }; results: Record<string, unknown>[] }];
  };
  const [{ tool, results }] = log.runs;
  expect([code, log.version, results.length]).toEqual([1, "2.1.0", 3]);
  for (const result of results)
    expect(tool.driver.rules[result["ruleIndex"] as number]?.id).toBe(result["ruleId"]);
  expect(results[0]).toMatchObject({
    ruleId: "KV_HAS",
    level: "error",
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: "src/index.ts" },
          region: { startLine: 1, startColumn: 38, endColumn: 41 },
        },
      },
    ],
    fixes: [{ artifactChanges: [{ replacements: [{ insertedContent: { text: "contains" } }] }] }],
  });
});

it("fails with a code for what cannot be read or built, and checks the other files nevertheless", async () => {
  const codeOf = async (...args: string[]) => {
    const { code, stderr } = await check(...args);
    return [code, /ERROR (\w+)/.exec(stderr)?.[1]];
  };
  expect(await codeOf("check", "absent.ts")).toEqual([1, "FILE_UNREADABLE"]);
  expect(await codeOf("check", "absent")).toEqual([1, "FILE_UNREADABLE"]);
  expect(await codeOf("check", "broken.ts")).toEqual([1, "BUILD_FAILED"]);
  const several = await check("check", "broken.ts", "src/index.ts");
  expect([several.code, several.stdout.split("\n").length]).toEqual([1, 4]);
  expect(several.stderr).toContain("BUILD_FAILED");
  const empty = await cli.functez(["check"], { cwd: join(cli.configHome, "empty") });
  expect(empty.stderr).toContain("INPUT_NEEDED");
});
