// The active context of the Docker command line: only it knows where Colima, Desktop and remote engines are.
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { readRegularFile } from "../../daemon/local/regular-file.ts";
import { tryDecode, type Fields, fieldsOf, textField } from "../../daemon/tezos/json-fields.ts";
import {
  AddressProblem,
  type EngineAddress,
  parseEngineAddress,
  type TlsMaterial,
} from "./engine-address.ts";

/** Folder of the Docker command line's configuration. */
/** Of one file. Docker's own have some kilobytes. */
const MAX_BYTES = 1024 * 1024;

function dockerConfigFolder(env: NodeJS.ProcessEnv): string {
  return env["DOCKER_CONFIG"] || join(homeFolder(env), ".docker");
}

/** The user's home according to the environment. */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  return env["HOME"] || env["USERPROFILE"] || homedir();
}

/** `config.json` of the Docker command line; empty when missing or not JSON. */
export function dockerConfig(env: NodeJS.ProcessEnv): Fields {
  let text: string;
  try {
    text = readRegularFile(join(dockerConfigFolder(env), "config.json"), MAX_BYTES).toString("utf8");
  } catch {
    return {}; // usually missing
  }
  return tryDecode(text, (json) => fieldsOf(json, "config.json")) ?? {}; // Docker's own tools report it
}

/** Name of the active context; undefined for the default one, which stands for the usual socket. */
export function activeContext(env: NodeJS.ProcessEnv): string | undefined {
  const name = env["DOCKER_CONTEXT"] || dockerConfig(env)["currentContext"];
  return typeof name === "string" && name !== "" && name !== "default" ? name : undefined;
}

/** Address of the engine in the description of a context. @throws MalformedJson */
function hostIn(meta: unknown): string {
  const endpoints = fieldsOf(fieldsOf(meta, "meta")["Endpoints"], "Endpoints");
  return textField(fieldsOf(endpoints["docker"], "Endpoints.docker")["Host"], "Endpoints.docker.Host");
}

/** Address of a context. @throws AddressProblem */
export function contextAddress(name: string, env: NodeJS.ProcessEnv): EngineAddress {
  const folder = join(dockerConfigFolder(env), "contexts");
  const id = createHash("sha256").update(name).digest("hex");
  let text: string;
  try {
    text = readRegularFile(join(folder, "meta", id, "meta.json"), MAX_BYTES).toString("utf8");
  } catch {
    throw new AddressProblem("Docker has no such context (`docker context ls` shows them)");
  }
  const host = tryDecode(text, hostIn);
  if (!host) throw new AddressProblem("the context has no engine address");
  return parseEngineAddress(host, tlsMaterial(join(folder, "tls", id, "docker")));
}

/** Certificates in a folder, by Docker's file names; undefined when there are none. */
export function tlsMaterial(folder: string): TlsMaterial | undefined {
  const read = (name: string): Buffer | undefined => {
    try {
      return readRegularFile(join(folder, name), MAX_BYTES);
    } catch {
      return undefined; // all three are optional
    }
  };
  const [ca, cert, key] = [read("ca.pem"), read("cert.pem"), read("key.pem")];
  if (!ca && !cert) return undefined;
  return { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
}
