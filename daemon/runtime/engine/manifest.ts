// What the build writes besides the wasm and the base image; the engine reads it at start.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { imageOf, type ImageState, type MemoryImage } from "./memory-image.ts";
import { patchedImage } from "./strict-image.ts";

export const WASM_FILE = "engine.wasm";
/** The module with hooks; everything else is the same for both. */
export const WATCHED_FILE = "engine-watched.wasm";
export const SNAPSHOT_FILE = "engine.snapshot";
const STRICT_FILE = "engine-strict.snapshot";
const MANIFEST_FILE = "engine.json";

/** Addresses of the prelude's control functions in the base image; valid in every image made from it. */
export interface ControlHandles {
  readonly check: number;
  readonly settle: number;
  readonly invoke: number;
  readonly run: number;
  readonly deliver: number;
  readonly ring: number;
}

export interface EngineManifest {
  /** Identifies the gas table: schedule version, engine version and the first digits of the wasm's hash. */
  readonly gasTable: string;
  readonly wasmSha256: string;
  readonly snapshotSha256: string;
  readonly preludeSha256: string;
  readonly state: ImageState;
  /** The numbers of the strict image. */
  readonly strictState: ImageState;
  readonly scratch: number;
  readonly control: ControlHandles;
}

export interface EngineFiles {
  readonly manifest: EngineManifest;
  readonly module: WebAssembly.Module;
  readonly base: MemoryImage;
  /** The image without what only this sandbox has. */
  readonly strict: () => MemoryImage;
}

/**
 * Reads the output of `buildEngine`.
 * @param directory the folder with the files
 * @param wasmFile the module to use
 */
export async function readEngineFiles(directory: string, wasmFile = WASM_FILE): Promise<EngineFiles> {
  const [wasm, snapshot, packed, text] = await Promise.all([
    readFile(join(directory, wasmFile)),
    readFile(join(directory, SNAPSHOT_FILE)),
    readFile(join(directory, STRICT_FILE)),
    readFile(join(directory, MANIFEST_FILE), "utf8"),
  ]);
  const manifest = JSON.parse(text) as EngineManifest;
  const module = new WebAssembly.Module(wasm);
  const base = imageOf(manifest.state, new Uint8Array(snapshot));
  return { manifest, module, base, strict: () => patchedImage(base, manifest.strictState, packed) };
}
