// The second prelude: run after the first, it takes away what the real runtime does not have. Evaluated once, for the
// strict image; the engine's build keeps what it changes in memory.

import {
  EXTRA_GLOBALS,
  EXTRA_KV_MEMBERS,
  EXTRA_MEMBERS,
  isExtraMember,
  TEXTS,
  THROWING_GETTER,
} from "../../../protocol/real-runtime.ts";

for (const name of EXTRA_GLOBALS) Reflect.deleteProperty(globalThis, name);

// The language lets nobody delete a member of Symbol, so another function takes its place.
const NativeSymbol = Symbol;
const { prototype, ...ofSymbol } = Object.getOwnPropertyDescriptors(NativeSymbol);
function symbol(this: unknown, ...description: string[]): symbol {
  if (new.target !== undefined) throw new TypeError("Symbol is not a constructor");
  return NativeSymbol(...description);
}
for (const [name, descriptor] of Object.entries(ofSymbol))
  if (!isExtraMember("Symbol", name)) Object.defineProperty(symbol, name, descriptor);
Object.defineProperty(symbol, "prototype", prototype);
Object.defineProperty(NativeSymbol.prototype, "constructor", { value: symbol });
Object.defineProperty(globalThis, "Symbol", { value: symbol });

const scope = globalThis as unknown as Record<string, object>;
for (const [name, { own = [], prototype = [] }] of Object.entries(EXTRA_MEMBERS)) {
  const owner = scope[name] as { readonly prototype: object };
  for (const member of own) Reflect.deleteProperty(owner, member);
  for (const member of prototype) Reflect.deleteProperty(owner.prototype, member);
}

const members = Object.getOwnPropertyDescriptors(scope["Kv"] as object) as PropertyDescriptorMap;
for (const name of EXTRA_KV_MEMBERS) Reflect.deleteProperty(members, name);
const kv = Object.getOwnPropertyDescriptor(globalThis, "Kv") as PropertyDescriptor;
Object.defineProperty(globalThis, "Kv", {
  ...kv,
  value: Object.freeze(Object.defineProperties({}, members)),
});

const getter = Object.getOwnPropertyDescriptor(
  {
    get [THROWING_GETTER](): never {
      throw new Error(TEXTS.location);
    },
  },
  THROWING_GETTER,
) as PropertyDescriptor;
Object.defineProperty(globalThis, THROWING_GETTER, { ...getter, enumerable: false });
