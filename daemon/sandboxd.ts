#!/usr/bin/env node
// Entry of sandboxd. The engine's thread takes about as long to load as everything else, so it starts first and
// loads at the same time.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { startEngineThread } from "./runtime/engine-thread.ts";

const args = process.argv.slice(2);
const engineDirectory = dirname(fileURLToPath(import.meta.url));
const engineThread = args[0] === "run" ? startEngineThread(engineDirectory) : undefined;
const { main } = await import("./run-sandboxd.ts");
await main(args, { engineDirectory, engineThread });
