// Coverage of smart functions by a test: `FUNCTEZ_COVERAGE=<folder>`, with one report for each sandbox, or
// `FUNCTEZ_COVERAGE=<file>` that ends with `.info` or `.lcov`. Counted before a snapshot undoes operations, and when the
// sandbox stops: it costs the test nothing in between.
import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { addCoverage, CoverageSum } from "../cli/lcov/coverage-sum.ts";
import { lcovOf } from "../cli/lcov/lcov.ts";
import type { DebugClient } from "../daemon/client/debug-client.ts";
import { makeFolder } from "../daemon/local/make-folder.ts";
import { reasonOf, SandboxError } from "../daemon/protocol/errors.ts";

export const COVERAGE_VARIABLE = "FUNCTEZ_COVERAGE";

export class CoverageFile {
  readonly #client: Pick<DebugClient, "coverage">;
  readonly #file: string;
  readonly #sum = new CoverageSum();
  #upTo = 0;

  constructor(client: Pick<DebugClient, "coverage">, target: string) {
    this.#client = client;
    const path = resolve(target);
    this.#file = /\.(?:info|lcov)$/.test(path) ? path : join(path, `functez-${randomUUID()}.info`);
  }

  /** Counts the operations since the last time. @throws SandboxError as the client's `coverage` */
  async count(): Promise<void> {
    this.#upTo = await addCoverage(this.#sum, this.#client, this.#upTo);
  }

  /** @throws SandboxError FILE_UNWRITABLE */
  write(): void {
    const draft = `${this.#file}.${randomUUID()}.new`; // test files run at the same time
    try {
      makeFolder(dirname(this.#file));
      writeFileSync(draft, lcovOf(this.#sum.sources()));
      renameSync(draft, this.#file);
    } catch (error) {
      rmSync(draft, { force: true });
      throw new SandboxError("FILE_UNWRITABLE", { file: this.#file, reason: reasonOf(error) });
    }
  }
}
