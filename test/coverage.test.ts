// Coverage of smart functions: by the test kit and by the command line, of the same calls of the same function.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { startSandbox as StartSandbox } from "../testing/testing.ts";
import { DIST, startedSandbox } from "./support/built-cli.ts";

const SHOP = `import { price } from "./price";

interface Order {
  readonly count: number;
}

function refund(order: Order): string {
  return "back: ".concat(String(price(order.count)));
}

export default (request: Request): Response => {
  const order: Order = { count: Number(new URL(request.url).searchParams.get("count")) };
  if (order.count < 0) {
    return new Response(refund(order));
  }
  Kv.set("count", order.count);
  return Response.json(price(order.count));
};
`;
const PRICE = `export function price(count: number): number {
  let sum = Number(0);
  for (let i = 0; i < count; i++) {
    sum += i > 1 ? Math.floor(1.5) : Math.ceil(1.5);
  }
  return sum;
}
`;
const IDLE = `export default (): Response => {
  return new Response("never");
};
`;
const CALLS = ["/?count=1", "/?count=3"];

/** Of both calls: the loop looks at its condition once more than it turns. */
const expectedLcov = (folder: string): string => `TN:
SF:${join(folder, "idle.ts")}
FN:1,default
FNDA:0,default
FNF:1
FNH:0
DA:2,0
LF:1
LH:0
end_of_record
TN:
SF:${join(folder, "price.ts")}
FN:1,price
FNDA:2,price
FNF:1
FNH:1
DA:2,2
DA:3,6
DA:4,4
DA:6,2
LF:4
LH:4
end_of_record
TN:
SF:${join(folder, "shop.ts")}
FN:7,refund
FN:11,default
FNDA:0,refund
FNDA:2,default
FNF:2
FNH:1
DA:8,0
DA:12,2
DA:13,2
DA:14,0
DA:16,2
DA:17,2
LF:6
LH:4
end_of_record
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-coverage-"));
  writeFileSync(join(folder, "shop.ts"), SHOP);
  writeFileSync(join(folder, "price.ts"), PRICE);
  writeFileSync(join(folder, "idle.ts"), IDLE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("is written by the test kit, with operations that a snapshot has undone", async () => {
  const { startSandbox } = (await import(pathToFileURL(join(DIST, "testing.mjs")).href)) as {
    startSandbox: typeof StartSandbox;
  };
  const reports = join(folder, "reports");
  process.env["FUNCTEZ_COVERAGE"] = reports;
  const sandbox = await startSandbox().finally(() => delete process.env["FUNCTEZ_COVERAGE"]);
  try {
    const alice = await sandbox.createAccount();
    const shop = await sandbox.deploy(join(folder, "shop.ts"), { from: alice });
    await sandbox.deploy(join(folder, "idle.ts"), { from: alice });
    const start = await sandbox.snapshot();
    for (const path of CALLS) {
      await shop.call(path, { from: alice });
      await sandbox.restore(start);
    }
  } finally {
    await sandbox.stop();
  }
  const [name, ...others] = readdirSync(reports);
  expect(others).toEqual([]);
  expect(readFileSync(join(reports, name!), "utf8")).toBe(expectedLcov(folder));
});

it("is shown by the command line, and written for lcov", async () => {
  const { cli } = await startedSandbox();
  try {
    await cli.functez(["account", "create", "alice"]);
    for (const name of ["shop", "idle"])
      expect(await cli.functez(["deploy", join(folder, `${name}.ts`), "--name", name])).toMatchObject({
        code: 0,
      });
    for (const path of CALLS) await cli.functez(["run", `shop${path}`]);
    const { stdout } = await cli.functez(["coverage"], { cwd: folder });
    expect(stdout).toContain("Coverage by 2 operations");
    expect(stdout).toMatch(/^ +4\/6 +1\/2 +shop\.ts, not run: 8, 14$/m);
    expect(stdout).toMatch(/^ +4\/4 +1\/1 +price\.ts$/m);
    const file = join(cli.configHome, "lcov.info");
    await cli.functez(["coverage", "-o", file]);
    expect(readFileSync(file, "utf8")).toBe(expectedLcov(folder));
    mkdirSync(join(cli.configHome, "taken"));
    const refused = await cli.functez(["--json", "coverage", "-o", join(cli.configHome, "taken")]);
    expect(JSON.parse(refused.stdout || refused.stderr)).toMatchObject({
      error: { code: "FILE_UNWRITABLE" },
    });
  } finally {
    await cli.dispose();
  }
});
