// The user's settings, read when needed. In an untrusted workspace the editor itself returns the defaults for the
// restricted ones (package.json, restrictedConfigurations).
import * as vscode from "vscode";
import { DEFAULT_PORTS, LOOPBACK } from "../../daemon/protocol/constants.ts";
import { SETTINGS } from "../ids.ts";

/**
 * A reloaded window must find its sandbox again: that took up to 12 s on a busy machine with two cores and no other
 * extension, and an editor with many extensions starts them all first.
 */
const RELOAD_GRACE_SECONDS = 30;

export interface SandboxSettings {
  readonly mode: "process" | "container";
  readonly autoStart: boolean;
  readonly serverPort: number;
  readonly layer1Port: number;
  readonly runtimePort: number;
  /** Absolute path, or empty to use the settings above. */
  readonly configFile: string;
  readonly logLevel: "error" | "warn" | "info" | "debug";
  readonly blockTime: number;
  /** Seconds that the sandbox outlives its last window. */
  readonly reloadGrace: number;
  readonly network: string;
}

export function readSettings(): SandboxSettings {
  const settings = vscode.workspace.getConfiguration(SETTINGS.section);
  return {
    mode: settings.get<"process" | "container">(SETTINGS.mode, "process"),
    autoStart: settings.get(SETTINGS.autoStart, false),
    serverPort: settings.get(SETTINGS.serverPort, DEFAULT_PORTS.sandboxd),
    layer1Port: settings.get(SETTINGS.layer1Port, DEFAULT_PORTS.layer1_node),
    runtimePort: settings.get(SETTINGS.runtimePort, DEFAULT_PORTS.runtime_node),
    configFile: absolute(settings.get(SETTINGS.configFile, "").trim()),
    logLevel: settings.get<SandboxSettings["logLevel"]>(SETTINGS.logLevel, "info"),
    blockTime: settings.get(SETTINGS.blockTime, 1),
    reloadGrace: settings.get(SETTINGS.reloadGrace, RELOAD_GRACE_SECONDS),
    network: settings.get(SETTINGS.network, ""),
  };
}

/** Relative paths start at the first workspace folder, never at the editor's own folder. */
function absolute(path: string): string {
  if (path === "" || /^([A-Za-z]:)?[\\/]/.test(path)) return path;
  const folder = vscode.workspace.workspaceFolders?.[0];
  return folder ? vscode.Uri.joinPath(folder.uri, path).fsPath : path;
}

/** The sandboxd configuration for the settings. */
export function daemonConfig(settings: SandboxSettings): Record<string, unknown> {
  return {
    server_port: settings.serverPort,
    log_level: settings.logLevel,
    layer1_node: { rpc_endpoint: `${LOOPBACK}:${settings.layer1Port}`, block_time: settings.blockTime },
    runtime_node: { endpoint: `${LOOPBACK}:${settings.runtimePort}` },
  };
}
