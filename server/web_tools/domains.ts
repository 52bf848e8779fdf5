// Which domains the tools of the web may reach, by what the agent names.
export interface DomainLists {
  allowed_domains?: readonly string[] | undefined;
  blocked_domains?: readonly string[] | undefined;
}

/** A name may end with the dot of the root: it is the same host. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "");

/** Rule WEB4. The domain itself and all below it; with a path, what lies below that. */
export function areDomainsGood({ allowed_domains, blocked_domains }: DomainLists, url: URL) {
  if (allowed_domains !== undefined) return allowed_domains.some((domain) => isIn(domain, url));
  return blocked_domains === undefined || !blocked_domains.some((domain) => isIn(domain, url));
}

function isIn(domain: string, url: URL): boolean {
  const slash = domain.includes("/") ? domain.indexOf("/") : domain.length;
  const name = domain.slice(0, slash).toLowerCase();
  const path = domain.slice(slash).replace(/\/+$/, "");
  const host = hostOf(url);
  if (host !== name && !host.endsWith(`.${name}`)) return false;
  return path === "" || url.pathname === path || url.pathname.startsWith(`${path}/`);
}
