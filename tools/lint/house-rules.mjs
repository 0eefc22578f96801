// Lint rules of our own, as a plugin of the linter.
import { declaredNames } from "./declared-names.mjs";
import { importOrder } from "./import-order.mjs";
import { restrictedNames } from "./restricted-names.mjs";

export default {
  meta: { name: "house" },
  rules: {
    "declared-names": declaredNames,
    "import-order": importOrder,
    "restricted-names": restrictedNames,
  },
};
