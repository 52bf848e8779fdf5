// Which addresses of the internet are public, and which belong to a machine, to a network or are not assigned.
import assert from "node:assert/strict";
import { BlockList, isIP } from "node:net";

/** RFC 6890 and its successors; the last one is where a cloud's machines ask for their own secrets. */
const ownIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "168.63.129.16/32",
] as const;

/** Of the one range that is routed: tunnels into IPv4, test networks, documentation. */
const ownIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"] as const;
const routedIpv6 = "2000::/3";

export interface AddressRanges {
  has(address: string): boolean;
}

/** A range as `10.0.0.0/8` or `fd00::/8`, or one address; undefined when it is none. */
export function parseRange(text: string): { address: string; bits: number } | undefined {
  const [address = "", mask, ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || more.length > 0) return undefined;
  const bitsMax = family === 4 ? 32 : 128;
  if (mask === undefined) return { address, bits: bitsMax };
  const bits = /^\d{1,3}$/.test(mask) ? Number(mask) : Infinity;
  return bits <= bitsMax ? { address, bits } : undefined;
}

/** An address of one family is in no range of the other family, also where it embeds such an address. */
export function rangesOf(texts: readonly string[]): AddressRanges {
  const byFamily = { 4: new BlockList(), 6: new BlockList() };
  for (const text of texts) {
    const range = parseRange(text);
    assert(range !== undefined, `${text} is not a range of addresses`);
    const family = isIP(range.address) as 4 | 6;
    byFamily[family].addSubnet(range.address, range.bits, family === 4 ? "ipv4" : "ipv6");
  }
  return {
    has: (address) => {
      const family = isIP(address);
      if (family === 0) return false;
      return family === 4 ? byFamily[4].check(address, "ipv4") : byFamily[6].check(address, "ipv6");
    },
  };
}

const ipv4OfNobody = rangesOf(ownIpv4);
const ipv6OfNobody = rangesOf(ownIpv6);
const ipv6OfAll = rangesOf([routedIpv6]);

/** True for addresses of public hosts; false for those that embed an IPv4 address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !ipv4OfNobody.has(address);
  return family === 6 && ipv6OfAll.has(address) && !ipv6OfNobody.has(address);
}
