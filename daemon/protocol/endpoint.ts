// Addresses of servers as people write them: `localhost:3000`, `127.0.0.1:3000`, `[::1]:3000`, `http://…`.

export interface Endpoint {
  /** Host name or IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Host and port of a text, or undefined when it is not an endpoint. A missing port is 80, as in URLs. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const match = /^(?:http:\/\/)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?\/?$/.exec(text.trim());
  if (!match) return undefined;
  const port = match[2] === undefined ? 80 : Number(match[2]);
  if (port > 65535) return undefined;
  return { host: match[1]!.replace(/^\[|\]$/g, ""), port };
}

/** `http://host:port` of an endpoint. */
export function endpointUrl({ host, port }: Endpoint): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
