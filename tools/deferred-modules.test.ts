// What the bundles carry in place of modules that a start does not need does the same as those modules.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { expect, it } from "vitest";
import type * as Curves from "../daemon/tezos/curves.ts";
import { routerWithoutText } from "./find-my-way.mjs";
import { lazyCurves } from "./lazy-curves.mjs";
import { lazyIdna } from "./lazy-idna.mjs";

const ROOT = join(import.meta.dirname, "..");
const require = createRequire(import.meta.url);

/** Exports of a module as it is in a bundle, and the bundle's text. */
async function bundleAndRun<T>(
  contents: string,
  plugin?: Plugin | Plugin[],
): Promise<{ exports: T; text: string }> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    format: "cjs",
    platform: "node",
    mainFields: ["module", "main"],
    write: false,
    plugins: plugin ? [plugin].flat() : [],
  });
  const { text } = outputFiles[0]!;
  const module_ = { exports: {} as T };
  new Function("module", "exports", "require", text)(module_, module_.exports, require);
  return { exports: module_.exports, text };
}

it("routes lead to the same handlers with the same parameters", async () => {
  interface Router {
    on(method: string, path: string, handler: () => void): void;
    find(method: string, url: string): { params: Record<string, string> } | null;
  }
  const ROUTES = "/ /a /accounts /accounts/:address /accounts/:address/kv /a/:b/:c/:d/:e/:f/:g /a-long-path-of-many/:x /*"; // oxfmt-ignore
  const URLS = "/ /a /accounts /account /accountsx /accounts/tz1 /accounts/tz1/kv /accounts/tz1/k /a/1/2/3/4/5/6 /a/1/2 /a-long-path-of-many/y /a-long-path-of-man/y /accounts/ /ACCOUNTS /%2e /accounts/%20"; // oxfmt-ignore
  const findRoutes = async (plugin?: Plugin) => {
    const { exports: create, text } = await bundleAndRun<() => Router>(
      'module.exports = require("find-my-way");',
      plugin,
    );
    const router = create();
    for (const path of ROUTES.split(" ")) router.on("GET", path, () => undefined);
    const results = URLS.split(" ").map((url) => [
      url,
      JSON.stringify(router.find("GET", url)),
      router.find("GET", url)?.params,
    ]);
    return { results, text };
  };
  const [ours, original] = [await findRoutes(routerWithoutText), await findRoutes()];
  expect(ours.results).toEqual(original.results);
  expect(Object.getPrototypeOf(Object.getPrototypeOf(ours.results[5]![2]))).toBeNull();
  for (const maker of ["new Function('path'", 'new Function("path"', 'new Function("NullObject", fnBody'])
    expect(ours.text).not.toContain(maker);
});

it("curves are evaluated when they are used, and sign and verify", async () => {
  const counted = globalThis as { nistEvaluations?: number };
  const evaluations: Plugin = {
    name: "evaluations",
    setup: ({ onLoad }) =>
      onLoad({ filter: /esm[\\/]nist\.js$/ }, ({ path }) => ({
        contents: `${readFileSync(path, "utf8")}\nglobalThis.nistEvaluations++;`,
      })),
  };
  const digest = new Uint8Array(32).fill(7);
  const secret = new Uint8Array(32).fill(3);
  const results = async (evaluatedAtOnce: number, ...plugins: Plugin[]) => {
    counted.nistEvaluations = 0;
    const contents = 'export * from "./daemon/tezos/curves.ts";';
    const { exports: curves } = await bundleAndRun<typeof Curves>(contents, [...plugins, evaluations]);
    expect(counted.nistEvaluations).toBe(evaluatedAtOnce);
    const signed = (["p256", "secp256k1"] as const).map((curve) => {
      const key = curves.publicKeyOfSecret(curve, secret);
      const signature = curves.signDigest(curve, secret, digest);
      expect(curves.isSignatureOf(curve, key, digest, signature)).toBe(true);
      expect(curves.isSignatureOf(curve, key, secret, signature)).toBe(false);
      return [key, signature];
    });
    expect(counted.nistEvaluations).toBe(1);
    return { signed, isPair: curves.isSecp256k1Pair(new Uint8Array(64).fill(255)) };
  };
  expect(await results(0, lazyCurves)).toEqual(await results(1));
});

it("host names beyond ASCII are the same", async () => {
  interface Idna {
    toASCII(name: string, options: object): string | null;
  }
  const OPTIONS = { checkHyphens: false, checkBidi: true, checkJoiners: true, verifyDNSLength: false };
  const NAMES = [
    "example",
    "faß.de",
    "xn--fa-hia.de",
    "אב.com",
    "אa.com",
    "\u0301a.de",
    "a\u200db",
    "क्‍ष",
    "xn--a",
  ];
  const { exports: idna, text } = await bundleAndRun<Idna>('module.exports = require("tr46");', lazyIdna);
  const original = createRequire(require.resolve("whatwg-url"))("tr46") as Idna;
  for (const name of NAMES)
    expect([name, idna.toASCII(name, OPTIONS)]).toEqual([name, original.toASCII(name, OPTIONS)]);
  expect(text).toContain("get combiningMarks()");
});
