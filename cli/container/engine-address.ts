// Addresses of container engines as written by people and Docker's own tools.
import { LOOPBACK } from "../../daemon/protocol/constants.ts";

export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export type EngineAddress =
  | { readonly kind: "socket"; readonly path: string }
  | {
      readonly kind: "tcp";
      readonly host: string;
      readonly port: number;
      readonly tls: TlsMaterial | undefined;
    }
  | {
      readonly kind: "ssh";
      readonly host: string;
      readonly user: string | undefined;
      readonly port: number | undefined;
    };

/** Why a text is not an engine address. */
export class AddressProblem extends Error {}

// No name begins with a dash: ssh would read it as an option.
const HOST = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
const IPV6 = /^\[[0-9A-Fa-f:.]+\]$/;

/**
 * `unix:///path`, `npipe:////./pipe/name`, `tcp://host:port`, `ssh://user@host`, a bare path or `host:port`.
 * @throws AddressProblem
 */
export function parseEngineAddress(text: string, tls?: TlsMaterial): EngineAddress {
  const trimmed = text.trim();
  if (/^(unix|npipe):\/\//.test(trimmed)) return socket(trimmed.replace(/^\w+:\/\//, ""));
  if (/^[/\\]/.test(trimmed)) return socket(trimmed);
  const match = /^(?:(tcp|https?|ssh):\/\/)?(?:([^@/]*)@)?(\[[^\]]*\]|[^:/]*)(?::(\d{1,5}))?\/?$/.exec(
    trimmed,
  );
  const [, scheme = "tcp", user, host = "", portText] = match ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  if (!match || !(HOST.test(host) || IPV6.test(host)) || (port !== undefined && port > 65535)) {
    throw new AddressProblem(
      `${trimmed === "" ? "an empty text" : trimmed} is not an engine address (unix://, npipe://, tcp:// or ssh://)`,
    );
  }
  const bare = host.replace(/^\[|\]$/g, "");
  if (scheme === "ssh") {
    if (user !== undefined && !HOST.test(user)) throw new AddressProblem(`${user} is not a user name`);
    return { kind: "ssh", host: bare, user, port };
  }
  const secure = scheme === "https" ? (tls ?? {}) : tls;
  return { kind: "tcp", host: bare, port: port ?? (secure ? 2376 : 2375), tls: secure };
}

function socket(path: string): EngineAddress {
  if (path === "") throw new AddressProblem("the path of the socket is missing");
  return { kind: "socket", path: path.replaceAll("\\", "/") };
}

export function addressText(address: EngineAddress): string {
  const bracket = (host: string) => (host.includes(":") ? `[${host}]` : host);
  switch (address.kind) {
    case "socket":
      return `${address.path.startsWith("//./pipe/") ? "npipe" : "unix"}://${address.path}`;
    case "tcp":
      return `tcp://${bracket(address.host)}:${address.port}`;
    case "ssh":
      return `ssh://${address.user === undefined ? "" : `${address.user}@`}${bracket(address.host)}${address.port === undefined ? "" : `:${address.port}`}`;
  }
}

/** Host of an engine on another machine; undefined for an engine that shares our loopback. */
export function remoteHost(address: EngineAddress): string | undefined {
  if (address.kind === "socket") return undefined;
  const local = address.kind === "tcp" && [LOOPBACK, "localhost", "::1"].includes(address.host.toLowerCase());
  return local ? undefined : address.host;
}
