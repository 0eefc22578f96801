// What a language model may have bundled: nothing of other folders, not even in the text of an error.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadFunction } from "../bundle-function.ts";

let base: string;
let work: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "functez-within-")));
  work = join(base, "work");
  write("private/notes.json", "hunter2 is the password");
  write("private/notes.txt", "hunter2 is the password");
  write("private/code.js", "hunter2 is the password");
  write("private/package.json", '{"password":"hunter2"}');
  mkdirSync(work);
});
afterEach(() => rmSync(base, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(base, name)), { recursive: true });
  writeFileSync(join(base, name), text);
}

const HANDLER = "export default () => new Response();";
const load = () => loadFunction("index.ts", work, { withMap: true, withTexts: true, within: [work] });

describe("within its folders, a bundle", () => {
  it.each([
    ["a text", { "index.ts": `import t from "../private/notes.txt"; ${HANDLER}; console.log(t);` }],
    ["JSON with an error", { "index.ts": `import "../private/notes.json"; ${HANDLER}` }],
    ["code with an error", { "index.ts": `import "../private/code.js"; ${HANDLER}` }],
    [
      "what was looked at as a configuration",
      { "index.ts": `import p from "../private/package.json"; ${HANDLER}; console.log(p);` },
    ],
    [
      "the base of a configuration",
      {
        "index.ts": `import "./own"; ${HANDLER}`,
        "own.ts": "",
        "tsconfig.json": '{"extends":"../private/notes.json"}',
      },
    ],
    [
      "what a configuration leads to",
      {
        "index.ts": `import "p"; ${HANDLER}`,
        "tsconfig.json": '{"compilerOptions":{"paths":{"p":["../private/code.js"]}}}',
      },
    ],
    [
      "a source map",
      {
        "index.ts": `import "./own.js"; ${HANDLER}`,
        "own.js": "export {};\n//# sourceMappingURL=../private/notes.json",
      },
    ],
    [
      "a source without text in a source map",
      {
        "index.ts": `import { own } from "./own.js"; export default () => new Response(own());`,
        "own.js": "export const own = () => 1;\n//# sourceMappingURL=own.js.map",
        "own.js.map": '{"version":3,"sources":["../private/notes.txt"],"names":[],"mappings":"AAAA"}',
      },
    ],
    ["a file behind a link", { "index.ts": `import "./link/notes.json"; ${HANDLER}` }],
    [
      "a linked configuration",
      { "index.ts": `import "./own"; ${HANDLER}`, "own.ts": "", "tsconfig.json": "link" },
    ],
  ] as [string, Record<string, string>][])("reads nothing from outside: %s", async (_what, files) => {
    symlinkSync("../private", join(work, "link"));
    for (const [name, text] of Object.entries(files))
      if (text === "link") symlinkSync("../private/notes.json", join(work, name));
      else write(`work/${name}`, text);
    const failure: unknown = await load().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "FILE_UNREADABLE",
      data: { reason: "it is imported, and not in an open folder" },
    });
    expect(JSON.stringify(failure) + String(failure)).not.toContain("hunter2");
  });

  it("has packages, and the configurations of the folders above", async () => {
    write("shared.json", '{"compilerOptions":{"jsx":"react-jsx"}}');
    write("tsconfig.json", '{"extends":"./shared.json"}');
    write("node_modules/zod/package.json", '{"main":"./index.js"}');
    write("node_modules/zod/index.js", "export default 1;");
    write("work/own.ts", "export default 2;");
    write(
      "work/index.ts",
      'import a from "zod"; import b from "./own"; export default () => new Response(a + b);',
    );
    expect((await load()).inputs).toHaveLength(3);
  });

  it("begins with a file in them", async () => {
    write("private/index.js", HANDLER);
    await expect(loadFunction("../private/index.js", work, { within: [work] })).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
    });
  });
});
