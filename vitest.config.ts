// Unit tests sit beside the code; suites that start processes live in test/ and run against the built dist.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

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
