// Suites that run twice: with a sandbox as it is, and with one that runs functions like the real runtime.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe } from "vitest";
import type {
  Sandbox,
  startSandbox as StartSandbox,
  TestAccount,
  TestFunction,
} from "../../testing/testing.ts";
import { DIST, ROOT } from "./built-cli.ts";

export interface Mode {
  readonly sandbox: () => Sandbox;
  account(tez?: string): Promise<TestAccount>;
  /** Deploys a file of `examples/`. */
  example(from: TestAccount, path: string, tez?: string): Promise<TestFunction>;
}

export function inBothModes(suite: (mode: Mode) => void): void {
  describe.each([
    { name: "in the sandbox", strict: false },
    { name: "as on the real runtime", strict: true },
  ])("$name", ({ strict }) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      const kit = (await import(pathToFileURL(join(DIST, "testing.mjs")).href)) as {
        startSandbox: typeof StartSandbox;
      };
      sandbox = await kit.startSandbox({ strict, oracle: { allowedHosts: ["127.0.0.1"] } });
    });
    afterAll(() => sandbox.stop());
    suite({
      sandbox: () => sandbox,
      account: (tez = "20") => sandbox.createAccount({ tez }),
      example: (from, path, tez = "0") => sandbox.deploy(join(ROOT, "examples", path), { from, tez }),
    });
  });
}

/** Options of a call with POST. */
export const post = (from: TestAccount, body?: unknown, tez?: string) => ({
  from,
  method: "POST",
  ...(body === undefined ? {} : { body }),
  ...(tez === undefined ? {} : { tez }),
});
