// Unit tests sit beside the code; suites that start processes live in test/ and run against the built dist.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Suites that share one container engine. */
const CONTAINER = ["test/container/**/*.test.ts"];
/** Suites that judge throughput and how long others wait. */
const ALONE = [
  "test/faults/load.test.ts",
  "test/faults/history-flood.test.ts",
  "test/faults/hostile-node.test.ts",
  "test/faults/large-bodies.test.ts",
  "test/faults/hostile-layer1.test.ts",
];

/** Suites that judge results and no times: they take what processor time the editor leaves. */
const BACKGROUND = [
  "test/package.test.ts",
  "test/supply-chain.test.ts",
  "test/documents.test.ts",
  "test/examples-of-apps.test.ts",
];

/** Units that start engines. */
const WITH_ENGINE = ["daemon/runtime/**/*.test.ts"];

/** Units that need a process of their own: they replace modules, watch the bundler's process, or weigh what they keep. */
const APART = [
  "cli/bundle/**/*.test.ts",
  "daemon/layer1/chain/genesis.test.ts",
  "daemon/layer1/state/entries.test.ts",
  "daemon/tezos/lazy-library.test.ts",
];

/** The longest suites, which begin first: one that began last would run alone at the end. Those that
 * wait come beside the first, which needs the processors for itself.
 */
const LONGEST = [
  "test/faults/life-and-death.test.ts",
  "test/faults/kills.test.ts",
  "test/fa-bridge.test.ts",
  "test/cli-commands.test.ts",
  "test/faults/faults.test.ts",
  "test/which-sandbox.test.ts",
  "test/faults/memory.test.ts",
  "daemon/runtime/engine/hostile.test.ts",
  "daemon/layer1/rpc/hostile-requests.test.ts",
  "daemon/runtime/operations/executor-thread.test.ts",
  "daemon/layer1/growing-input.test.ts",
  "daemon/layer1/michelson/hostile-scripts.test.ts",
];

/** Milliseconds in which what a test waits for must happen. A busy machine may pause a process for seconds. */
const PATIENT = { poll: { timeout: 20_000 } };

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index < 0 ? LONGEST.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** What suites that start a runtime in their process need of it. */
const RUNTIME = ["daemon/runtime/test-bundles.ts"];

const UNIT = {
  expect: PATIENT,
  testTimeout: 60_000, // only a hang takes as long
  maxWorkers: "100%", // the default leaves a core idle, which is half of a small machine
};

export default defineConfig({
  test: {
    maxConcurrency: 3, // tests of one file that run at once: more would only wait for each other
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // Units of the extension see a small fake of the editor's API.
        resolve: {
          alias: { vscode: fileURLToPath(new URL("./test/support/fake-vscode.ts", import.meta.url)) },
        },
        test: {
          ...UNIT,
          name: "unit",
          include: ["{daemon,cli,extension,explorer,testing,tools,examples}/**/*.test.ts"],
          exclude: [...WITH_ENGINE, ...APART, "**/node_modules/**"],
          isolate: false, // a new process for each file would take a fifth of the time
        },
      },
      {
        test: {
          ...UNIT,
          name: "unit-engine",
          globalSetup: RUNTIME,
          setupFiles: ["daemon/runtime/engine-per-file.ts"],
          include: WITH_ENGINE,
          isolate: false, // each process compiles the engine once for all its files
        },
      },
      { test: { ...UNIT, name: "unit-apart", include: APART } },
      {
        // Most of their time they wait, for blocks and processes: three files at a time, on two processors.
        test: {
          name: "system",
          env: { FUNCTEZ_TEST_SUITE: "1" },
          globalSetup: RUNTIME,
          expect: PATIENT,
          include: ["test/**/*.test.ts"],
          exclude: [...CONTAINER, ...ALONE, ...BACKGROUND, "test/editor/**", "**/node_modules/**"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 3,
          isolate: false, // to load the modules of clients and nodes for each file would take half of the processes' time
        },
      },
      {
        test: {
          name: "background",
          env: { FUNCTEZ_TEST_SUITE: "4" },
          expect: { poll: { timeout: 60_000 } },
          include: BACKGROUND,
          testTimeout: 400_000,
          hookTimeout: 400_000,
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: "container",
          env: { FUNCTEZ_TEST_SUITE: "2" },
          expect: PATIENT,
          include: CONTAINER,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "alone",
          env: { FUNCTEZ_TEST_SUITE: "3" },
          expect: PATIENT,
          include: ALONE,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
