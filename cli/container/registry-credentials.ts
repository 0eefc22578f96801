// The credentials stored by `docker login`: the engine does not know them, its clients send them along.
import { spawn } from "node:child_process";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { tryDecode, fieldsOf, textField } from "../../daemon/tezos/json-fields.ts";
import { dockerConfig } from "./docker-context.ts";

export interface RegistryCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
  readonly serveraddress: string;
}

/** The key of Docker Hub's credentials. */
const DOCKER_HUB = "https://index.docker.io/v1/";

/** Key of the registry of an image reference in Docker's configuration. */
export function registryOf(reference: string): string {
  const slash = reference.indexOf("/");
  const first = slash < 0 ? "" : reference.slice(0, slash);
  const isHost = first === "localhost" || first.includes(".") || first.includes(":");
  return isHost && first !== "docker.io" ? first : DOCKER_HUB;
}

/**
 * Credentials for pulling a reference; undefined without a login.
 * @throws SandboxError CREDENTIALS_UNREADABLE when the credential helper fails
 */
export async function registryCredentials(
  reference: string,
  env: NodeJS.ProcessEnv,
): Promise<RegistryCredentials | undefined> {
  const serveraddress = registryOf(reference);
  const config = dockerConfig(env) as {
    auths?: Record<string, { auth?: string; identitytoken?: string }>;
    credsStore?: string;
    credHelpers?: Record<string, string>;
  };
  const helper = config.credHelpers?.[serveraddress] ?? config.credsStore;
  if (helper) {
    const kept = await askHelper(helper, serveraddress, env);
    if (kept) return kept;
  }
  const inline = config.auths?.[serveraddress];
  if (inline?.identitytoken) return { identitytoken: inline.identitytoken, serveraddress };
  if (!inline?.auth) return undefined;
  const [username = "", ...password] = Buffer.from(inline.auth, "base64").toString("utf8").split(":");
  return { username, password: password.join(":"), serveraddress };
}

/** Runs `docker-credential-<helper> get`, like Docker's own command line. */
function askHelper(
  helper: string,
  serveraddress: string,
  env: NodeJS.ProcessEnv,
): Promise<RegistryCredentials | undefined> {
  const program = `docker-credential-${helper}`;
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new SandboxError("CREDENTIALS_UNREADABLE", { program, reason }));
    const child = spawn(program, ["get"], { stdio: ["pipe", "pipe", "ignore"], env, windowsHide: true });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
    child.stdin.on("error", () => undefined); // it exited without reading: `close` reports how
    child.stdin.end(serveraddress);
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) => {
      if (code !== 0) return /not found/i.test(output) ? resolve(undefined) : fail(`exit code ${code}`);
      const answer = tryDecode(output, (json) => {
        const { Username, Secret } = fieldsOf(json, "answer");
        return { username: textField(Username, "Username"), secret: textField(Secret, "Secret") };
      });
      if (answer === undefined) return fail("its answer is not valid JSON");
      const { username, secret } = answer;
      // Helpers mark tokens with this user name.
      if (username === "<token>") resolve({ identitytoken: secret, serveraddress });
      else resolve({ username, password: secret, serveraddress });
    });
  });
}
