#!/usr/bin/env node
// runtime_node on its own, without sandboxd: `node runtime-node.mjs [config.json]`. It follows the layer 1 of the
// configuration.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { endpointOf, endpointUrl } from "./protocol/endpoint.ts";
import { runtimePart } from "./runtime-part.ts";
import { runStandAlone } from "./stand-alone.ts";

await runStandAlone(process.argv.slice(2), "runtime_node", (config, log, adminSecret) =>
  runtimePart(config, {
    log,
    adminSecret,
    engineDirectory: dirname(fileURLToPath(import.meta.url)),
    layer1Endpoint: () => endpointUrl(endpointOf(config.layer1_node.rpc_endpoint)),
  }),
);
