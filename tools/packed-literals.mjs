// Packages carry WebAssembly as text in their code, in Base64. In the bundles the bytes are compressed as well, and
// unpacked when the module is loaded.
import { readFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";

const CARRIERS = /[\\/](?:libauth[\\/].*[\\/]secp256k1\.base64|mcl-wasm[\\/]dist[\\/]mcl_c)\.js$/;
/** Nothing but code is that long. */
const LITERAL = /(["'])([A-Za-z0-9+/]{100000,}={0,2})\1/g;

const unpackingCode = (base64) => {
  const bytes = brotliCompressSync(Buffer.from(base64, "base64")).toString("base64");
  return `require("node:zlib").brotliDecompressSync(Buffer.from("${bytes}", "base64")).toString("base64")`;
};

/** Plugin of esbuild for CommonJS bundles. */
export const packedLiterals = {
  name: "packed-literals",
  setup({ onLoad }) {
    onLoad({ filter: CARRIERS }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = source.replace(LITERAL, (_, quote, base64) => unpackingCode(base64));
      if (contents === source) throw new Error(`${path} has no long literal`);
      return { contents, loader: "js" };
    });
  },
};
