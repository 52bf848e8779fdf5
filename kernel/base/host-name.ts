// Names of hosts as they stand in addresses.
import { isIPv4 } from "node:net";

/** RFC 1035. */
export const hostCharactersMax = 253;
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** This very machine, as the host of an address. */
export const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

/** Of the address of a request's `origin`, or one made of its `host`. */
export function isAtHost(address: string, hosts: readonly string[]): boolean {
  const url = URL.parse(address);
  return url !== null && hosts.includes(url.hostname);
}

/** A name in small letters, or an IPv4 address in the one way in which all take it for the same. */
export function isHostName(name: string): boolean {
  const labels = name.split(".");
  if (name.length > hostCharactersMax || !labels.every((each) => label.test(each))) return false;
  // Readers of addresses take 010.1 and 0x7f.1 for addresses, too: these would lead elsewhere than they seem to.
  return !/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "") || isIPv4(name);
}
