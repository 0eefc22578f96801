// Unit tests sit beside the code; suites that start processes live in test/ and run against the built dist.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Suites that share one container engine. */
const CONTAINER = ["test/container/**/*.test.ts"];
/** Suites that judge memory and throughput. */
const ALONE = [
  "test/faults/load.test.ts",
  "test/faults/large-bodies.test.ts",
  "test/faults/hostile-layer1.test.ts",
  "test/faults/memory.test.ts",
];

export default defineConfig({
  test: {
    projects: [
      {
        // Units of the extension see a small fake of the editor's API.
        resolve: {
          alias: { vscode: fileURLToPath(new URL("./test/support/fake-vscode.ts", import.meta.url)) },
        },
        test: {
          name: "unit",
          include: ["{daemon,cli,extension,explorer,testing,tools,examples}/**/*.test.ts"],
          testTimeout: 30_000,
          maxWorkers: "100%", // the default leaves a core idle, which is half of a small machine
        },
      },
      {
        // Most of their time they wait, for blocks and processes: two files at a time.
        test: {
          name: "system",
          include: ["test/**/*.test.ts"],
          exclude: [...CONTAINER, ...ALONE, "test/editor/**", "**/node_modules/**"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "container",
          include: CONTAINER,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "alone",
          include: ALONE,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
