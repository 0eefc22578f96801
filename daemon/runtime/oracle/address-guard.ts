// Decides which network addresses smart functions may reach. Anyone who can post an operation can make a function
// fetch, so loopback, private and other special addresses are closed unless the configuration opens them.
import type { LookupAddress } from "node:dns";
import { BlockList, isIP } from "node:net";

const closed = new BlockList();
// Special-purpose registries of IANA: loopback, private, shared, link-local, documentation, multicast, reserved.
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const) {
  closed.addSubnet(network, bits, "ipv4");
}
const openIpv6 = new BlockList();
openIpv6.addSubnet("2000::", 3, "ipv6"); // global unicast; everything else is special
const closedIpv6 = new BlockList();
for (const [network, bits] of [
  ["2001::", 23], // protocol assignments, Teredo among them
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4: carries an IPv4 address
  ["3fff::", 20],
] as const) {
  closedIpv6.addSubnet(network, bits, "ipv6");
}

/** True for an address of the public internet. */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, "");
  switch (isIP(bare)) {
    case 4:
      return !closed.check(bare, "ipv4");
    case 6:
      return openIpv6.check(bare, "ipv6") && !closedIpv6.check(bare, "ipv6");
    default:
      return false;
  }
}

/** Resolves host names; replaced in tests. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Thrown for a host that must not be reached. */
export class ForbiddenAddressError extends Error {
  constructor(host: string) {
    super(`requests to ${host} are not allowed: it has a loopback, private or special address`);
    this.name = "ForbiddenAddressError";
  }
}

/**
 * The address to connect to for a host name. The caller must connect to exactly this address, so that a second answer
 * of the name server cannot redirect the request.
 * @throws ForbiddenAddressError when any address of the host is not public and `allowed` is false
 */
export async function resolveAllowed(
  host: string,
  allowed: boolean,
  resolve: Resolve,
): Promise<LookupAddress> {
  const literal = host.replace(/^\[|\]$/g, "");
  const family = isIP(literal);
  const addresses = family === 0 ? await resolve(host) : [{ address: literal, family }];
  const first = addresses[0];
  if (first === undefined) throw new Error(`${host} has no address`);
  if (!allowed && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new ForbiddenAddressError(host);
  return first;
}
