// Where a request wants to go, read so that no two readers of it could differ: what is written in another way than
// hosts are is refused, not put right.
import { isIPv6 } from "node:net";
import { isHostName } from "../../../kernel/base/host-name.ts";

export interface Target {
  /** A name, an IPv4 address, or an IPv6 address in brackets; in small letters. */
  host: string;
  port: number;
}

/** Without the brackets of an IPv6 address. */
export const bareHost = ({ host }: Pick<Target, "host">): string => host.replace(/^\[|\]$/g, "");

/** `example.com:443` of CONNECT. */
export function readAuthority(authority: string, usualPort?: number): Target | undefined {
  const [, host = "", digits] = /^(\[[^\]]*\]|[^:]*)(?::([1-9]\d{0,4}))?$/.exec(authority) ?? [];
  const port = digits === undefined ? usualPort : Number(digits);
  const name = host.toLowerCase();
  if (port === undefined || port > 65_535 || !isHost(name)) return undefined;
  return { host: name, port };
}

/** Zones of IPv6 name interfaces of this machine. */
const isHost = (host: string): boolean =>
  host.startsWith("[") ? isIPv6(host.slice(1, -1)) && !host.includes("%") : isHostName(host);

/** `http://example.com/path` of every other method. */
export function readAbsolute(url: string): { target: Target; path: string } | undefined {
  const [, authority = "", rest = ""] = /^http:\/\/([^/?#\\]*)([/?][^#\\]*)?$/i.exec(url) ?? [];
  const target = readAuthority(authority, 80);
  if (target === undefined) return undefined;
  return { target, path: rest.startsWith("/") ? rest : `/${rest}` };
}

export const usualPorts = { http: 80, https: 443 };

/** As the header `host` has it. */
export const hostHeader = ({ host, port }: Target, scheme: keyof typeof usualPorts): string =>
  port === usualPorts[scheme] ? host : `${host}:${port}`;
