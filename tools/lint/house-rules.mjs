// Lint rules of our own, as a plugin of the linter.
import { importOrder } from "./import-order.mjs";
import { restrictedNames } from "./restricted-names.mjs";

export default {
  meta: { name: "house" },
  rules: { "import-order": importOrder, "restricted-names": restrictedNames },
};
