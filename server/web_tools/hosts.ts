// Which hosts the tools of the web may reach: by the environment of the session, and by the domains of the agent.
import type { EnvironmentConfig } from "../environments/module.ts";

/** Of the environment that the session runs in. */
export type NetworkPolicy = Extract<EnvironmentConfig, { type: "cloud" }>["networking"];

export interface DomainLists {
  allowed_domains?: readonly string[] | undefined;
  blocked_domains?: readonly string[] | undefined;
}

/** A name may end with the dot of the root: it is the same host. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "");

/** Rule WEB3. */
export function isHostAllowed(policy: NetworkPolicy, host: string): boolean {
  if (policy.type === "unrestricted") return true;
  return policy.allowed_hosts.some((allowed) =>
    allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed,
  );
}

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
