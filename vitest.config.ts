// Unit tests sit beside the code; suites that start processes live in test/ and run against the built dist.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["{daemon,cli,extension,testing,tools,examples}/**/*.test.ts"],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "system",
          include: ["test/**/*.test.ts"],
          exclude: ["test/editor/**", "**/node_modules/**"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
