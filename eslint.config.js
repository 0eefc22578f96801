// Lint rules. The arrows between folders and the ban on cycles are checked by .dependency-cruiser.mjs.
import tseslint from "typescript-eslint";
import { importOrder } from "./tools/lint/import-order.mjs";

/** Files with rules about types. Guest code is checked for another world of globals, so it is not in the project. */
export const TYPED_FILES = {
  files: ["{daemon,cli,extension,testing}/**/*.ts"],
  ignores: ["daemon/runtime/engine/prelude/**"],
};

export default tseslint.config(
  {
    ignores: ["dist/**", "dist-*/**", "out/**", ".cache/**", "**/node_modules/**", "coverage/**"],
  },
  ...tseslint.configs.recommended,
  {
    files: ["**/*.{ts,tsx,mjs,js}"],
    plugins: { house: { rules: { "import-order": importOrder } } },
    rules: { "house/import-order": "error" },
  },
  {
    files: ["**/*.{ts,tsx}"],
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", caughtErrorsIgnorePattern: "^_" },
      ],
      "no-restricted-syntax": [
        "error",
        {
          selector: "CallExpression[callee.name='parseFloat']",
          message: "Amounts are bigint mutez; use daemon/protocol/tez.ts.",
        },
        {
          selector:
            ":not(ImportSpecifier) > Identifier[name=/^show((Information|Warning|Error)Message|InputBox)$/]",
          message: "The editor makes links of what it shows; use extension/messages.ts.",
        },
      ],
      // A clock that jumps must end nothing early: spans of time come from performance.now().
      "no-restricted-properties": [
        "error",
        {
          object: "Date",
          property: "now",
          message:
            "Measure spans with performance.now(); a time of day comes from daemon/local/time-of-day.ts.",
        },
      ],
      eqeqeq: ["error", "always"],
      "no-empty": "error",
    },
  },
  {
    // What only the types tell.
    ...TYPED_FILES,
    languageOptions: { parserOptions: { project: "tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/no-base-to-string": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: { arguments: false } }],
      "@typescript-eslint/no-shadow": "error",
      "@typescript-eslint/no-unnecessary-type-assertion": "error",
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/prefer-promise-reject-errors": "error",
      "@typescript-eslint/require-array-sort-compare": ["error", { ignoreStringArrays: true }],
      "@typescript-eslint/restrict-plus-operands": "error",
      "@typescript-eslint/return-await": ["error", "error-handling-correctness-only"],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ["extension/messages.ts", "**/*.test.ts", "test/**/*.ts"],
    rules: { "no-restricted-syntax": "off" },
  },
  {
    // Tests, and guest code: its clock is what the engine gives it.
    files: ["**/*.test.ts", "test/**/*.ts", "daemon/runtime/engine/prelude/**"],
    rules: { "no-restricted-properties": "off" },
  },
);
