#!/usr/bin/env node
// layer1_node on its own, without sandboxd: `node layer1-node.mjs [config.json]`, for operators and profiling.
import { layer1Part } from "./layer1-part.ts";
import { runStandAlone } from "./stand-alone.ts";

await runStandAlone(process.argv.slice(2), "layer1_node", layer1Part);
