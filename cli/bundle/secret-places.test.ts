import {
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadFunction } from "../bundle-function.ts";
import { isSecretPlace, leadsToSecret } from "./secret-places.ts";

const ENV = { XDG_CONFIG_HOME: "/home/ada/.config" };

it.each([
  ["/home/ada/.config/functez/config.json", "/home/ada/code", true],
  ["/home/ada/.config/functez/config.json", "/home/ada/.config", true],
  ["/home/ada/.ssh/id.json", "/home/ada/code", true],
  ["/home/ada/.aws/sso/cache/token.json", "/home/ada/code/deep/project", true],
  ["/home/ada/code/.cache/made.json", "/home/ada/code", false],
  ["/home/ada/shared/x.ts", "/home/ada/code", false],
  ["/home/ada/.trees/shared/x.ts", "/home/ada/.trees/work", false],
  ["/home/ada/.pnpm-store/links/zod/node_modules/zod/index.js", "/home/ada/code", false],
  ["/home/ada/.git-credentials", "/home/ada/code", true],
  ["/home/ada/code/.env.json", "/home/ada/code", false],
  ["/home/ada/.pnp.cjs", "/home/ada/code", false], // the bundler looks for it in every folder above
  ["/home/ada/.ssh/id.json", "/home/ada", true],
  ["/home/ada/.netrc", "/home/ada", true],
  ["/home/ada/notes.json", "/home/ada", false],
  ["/proc/4711/environ", "/home/ada/code", true],
  ["/proc/4711/environ", "/", true],
  ["/run/secrets/token", "/home/ada/code", true],
  ["/run/media/ada/disk/shared/x.ts", "/run/media/ada/disk/code", false],
])("%s for the project %s: %s", (file, project, is) => {
  vi.stubEnv("HOME", "/home/ada");
  vi.stubEnv("USERPROFILE", "/home/ada");
  expect(isSecretPlace(file, project, ENV)).toBe(is);
});

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "functez-secrets-")));
  mkdirSync(join(home, ".keys"));
  mkdirSync(join(home, "work"));
  writeFileSync(join(home, ".keys/config.json"), '{"secret":"edsk"}');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

it.each([
  ["by its name", "../.keys/config.json"],
  ["by a link", "./linked.json"],
  ["as a hidden file", "../.netrc.json"],
  ["as a hidden file by a link that the project preserves", "./notes.txt"],
])("bundles no file of a hidden place outside of the project, %s", async (_how, name) => {
  symlinkSync("../.keys/config.json", join(home, "work/linked.json"));
  writeFileSync(join(home, ".netrc.json"), '{"password":"p"}');
  symlinkSync("../.netrc.json", join(home, "work/notes.txt"));
  writeFileSync(join(home, "work/tsconfig.json"), '{"compilerOptions":{"preserveSymlinks":true}}');
  writeFileSync(
    join(home, "work/index.ts"),
    `import k from "${name}"; export default () => Response.json(k);`,
  );
  await expect(loadFunction("index.ts", join(home, "work"), { ownBundler: true })).rejects.toMatchObject({
    code: "FILE_UNREADABLE",
    data: { reason: expect.stringContaining("secrets") },
  });
});

it("publishes no such file through a link in the project, as code or as a body", async () => {
  writeFileSync(join(home, ".keys/key.js"), "edsk");
  symlinkSync("../.keys/key.js", join(home, "work/index.js"));
  const work = join(home, "work");
  const refusal = { code: "FILE_UNREADABLE", data: { reason: expect.stringContaining("secrets") as string } };
  await expect(loadFunction("index.js", work)).rejects.toMatchObject(refusal);
  expect(leadsToSecret(join(work, "index.js"))).toBe(true);
  writeFileSync(join(home, ".git-credentials"), "https://ada:p@example.org");
  symlinkSync("../.git-credentials", join(work, "body.txt"));
  expect(leadsToSecret(join(work, "body.txt"))).toBe(true);
  // Named by a person, and a link within the project.
  expect((await loadFunction(".keys/key.js", home)).code).toBe("edsk");
  writeFileSync(join(work, "own.js"), "export default 1;");
  symlinkSync("own.js", join(work, "link.js"));
  expect((await loadFunction("link.js", work)).code).toBe("export default 1;");
});

describe("a hard link in the project to a file with keys", () => {
  const refusal = { code: "FILE_UNREADABLE", data: { reason: expect.stringContaining("secrets") as string } };
  let work: string;
  beforeEach(() => {
    work = join(home, "work");
    vi.stubEnv("HOME", home);
    vi.stubEnv("USERPROFILE", home);
    vi.stubEnv("XDG_CONFIG_HOME", join(home, "settings"));
    mkdirSync(join(home, "settings/functez/run"), { recursive: true });
    mkdirSync(join(home, ".config/jstz"), { recursive: true });
    for (const name of [
      "settings/functez/config.json",
      "settings/functez/run/sandbox.json",
      ".config/jstz/config.json",
    ])
      writeFileSync(join(home, name), '{"secret":"edsk"}');
    writeFileSync(join(home, ".netrc"), "password");
  });

  it.each([
    "settings/functez/config.json",
    "settings/functez/run/sandbox.json",
    ".config/jstz/config.json",
    ".keys/config.json",
  ])("is bundled by no import: %s", async (secret) => {
    linkSync(join(home, secret), join(work, "data.json"));
    const code = 'import k from "./data.json"; export default () => Response.json(k);';
    writeFileSync(join(work, "index.ts"), code);
    await expect(loadFunction("index.ts", work, { ownBundler: true })).rejects.toMatchObject(refusal);
  });

  it("is neither code nor a body, and its true name is what a person means", async () => {
    writeFileSync(join(home, ".keys/key.js"), "edsk");
    linkSync(join(home, ".keys/key.js"), join(work, "index.js"));
    await expect(loadFunction("index.js", work)).rejects.toMatchObject(refusal);
    linkSync(join(home, ".netrc"), join(work, "body.txt"));
    expect(leadsToSecret(join(work, "body.txt"))).toBe(true);
    expect(leadsToSecret(join(home, ".netrc"))).toBe(false);
    expect((await loadFunction(".keys/key.js", home)).code).toBe("edsk");
  });

  it("is found however many files lie deeper", async () => {
    mkdirSync(join(home, ".a/many"), { recursive: true });
    for (let i = 0; i < 20_001; i++) closeSync(openSync(join(home, `.a/many/${i}`), "w"));
    linkSync(join(home, ".keys/config.json"), join(work, "index.js"));
    await expect(loadFunction("index.js", work)).rejects.toMatchObject(refusal);
  });

  it("is told from the links of package managers and of the project", async () => {
    mkdirSync(join(home, ".store/node_modules/zod"), { recursive: true });
    writeFileSync(join(home, ".store/node_modules/zod/index.js"), "export default 1;");
    mkdirSync(join(work, "node_modules/zod"), { recursive: true });
    linkSync(join(home, ".store/node_modules/zod/index.js"), join(work, "node_modules/zod/index.js"));
    mkdirSync(join(work, ".made"));
    writeFileSync(join(work, ".made/own.ts"), "export default 2;");
    linkSync(join(work, ".made/own.ts"), join(work, "own.ts"));
    writeFileSync(
      join(work, "index.ts"),
      'import a from "zod"; import b from "./own"; export default () => a + b;',
    );
    expect((await loadFunction("index.ts", work, { ownBundler: true })).bundled).toBe(true);
  });
});

it("closes the folder with the accounts by its real path too", () => {
  mkdirSync(join(home, "real/functez"), { recursive: true });
  writeFileSync(join(home, "real/functez/config.json"), "edsk");
  symlinkSync("real", join(home, "settings"));
  const env = { XDG_CONFIG_HOME: join(home, "settings") };
  expect(isSecretPlace(join(home, "real/functez/config.json"), join(home, "work"), env)).toBe(true);
});

it("knows the home folder by its real path too", () => {
  symlinkSync(home, `${home}-link`);
  vi.stubEnv("HOME", `${home}-link`);
  vi.stubEnv("USERPROFILE", `${home}-link`);
  try {
    expect(isSecretPlace(join(home, ".keys/config.json"), home, ENV)).toBe(true);
  } finally {
    rmSync(`${home}-link`);
  }
});

it("knows a project by its real folder", async () => {
  mkdirSync(join(home, ".trees/work"), { recursive: true });
  writeFileSync(join(home, ".trees/work/index.ts"), 'import "./other"; export default () => 1;');
  writeFileSync(join(home, ".trees/work/other.ts"), "export {};");
  symlinkSync(join(home, ".trees"), join(home, "trees"));
  expect((await loadFunction("index.ts", join(home, "trees/work"), { ownBundler: true })).bundled).toBe(true);
});

it.runIf(process.platform === "linux").each([
  ["by its name", "/proc/self/environ"],
  ["by a link", "./notes.txt"],
])("bundles no variables of its own process, %s", async (_how, name) => {
  const work = join(home, "work");
  symlinkSync("/proc/self/environ", join(work, "notes.txt"));
  const code = `import t from "${name}" with { type: "text" }; export default () => new Response(t);`;
  writeFileSync(join(work, "index.js"), code);
  await expect(loadFunction("index.js", work, { ownBundler: true })).rejects.toMatchObject({
    code: "FILE_UNREADABLE",
    data: { reason: expect.stringContaining("secrets") as string },
  });
  expect(leadsToSecret(join(work, "notes.txt"))).toBe(true);
});
