// Which hosts a sandbox may connect to, by their names alone.

export type NetworkPolicy = { type: "unrestricted" } | LimitedPolicy;
export interface LimitedPolicy {
  type: "limited";
  hosts: readonly AllowedHost[];
}

export interface AllowedHost {
  /** In small letters; `*.example.com` is every host below it, and not itself. */
  host: string;
  /** Any port where none is named. */
  ports?: readonly number[];
}

/** The public registries, and what they send their clients on to. Rule SBX25 lists them for people. */
export const packageHosts = {
  apt: [
    "deb.debian.org",
    "security.debian.org",
    "archive.ubuntu.com",
    "security.ubuntu.com",
    "ports.ubuntu.com",
  ],
  cargo: ["crates.io", "index.crates.io", "static.crates.io"],
  gem: ["rubygems.org", "index.rubygems.org"],
  go: ["proxy.golang.org", "sum.golang.org"],
  npm: ["registry.npmjs.org"],
  pip: ["pypi.org", "files.pythonhosted.org"],
} as const satisfies Record<string, readonly string[]>;
export type PackageManager = keyof typeof packageHosts;
const webPorts = [80, 443];

/** Of no environment, and of one whose tools run elsewhere. */
export const closedPolicy: LimitedPolicy = { type: "limited", hosts: [] };

/** Of an environment. */
export type ReachConfig =
  | { type: "self_hosted" }
  | {
      type: "cloud";
      networking:
        | { type: "unrestricted" }
        | {
            type: "limited";
            allowed_hosts: readonly string[];
            allow_mcp_servers: boolean;
            allow_package_managers: boolean;
          };
    };

export function policyOf(
  config: ReachConfig,
  mcpServers: readonly { url: string }[],
  mirrors: readonly { url: string }[] = [],
): NetworkPolicy {
  if (config.type !== "cloud") return closedPolicy;
  const { networking } = config;
  if (networking.type === "unrestricted") return { type: "unrestricted" };
  const { allow_package_managers: mayInstall } = networking;
  const packages = mayInstall ? Object.values(packageHosts).flat() : [];
  return {
    type: "limited",
    hosts: [
      ...networking.allowed_hosts.map((host) => ({ host })),
      ...packages.map((host) => ({ host, ports: webPorts })),
      ...(mayInstall ? mirrors.flatMap(hostOf) : []),
      ...(networking.allow_mcp_servers ? mcpServers.flatMap(hostOf) : []),
    ],
  };
}

function hostOf({ url }: { url: string }): AllowedHost[] {
  if (!URL.canParse(url)) return [];
  const address = new URL(url);
  if (!/^https?:$/.test(address.protocol)) return [];
  return [{ host: address.hostname, ports: [portOf(address)] }];
}

/** Of an address that begins with `http:` or `https:`. */
export const portOf = ({ protocol, port }: URL): number =>
  port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);

export type PolicyVerdict =
  | { isAllowed: true }
  | { isAllowed: false; reason: "host" }
  | { isAllowed: false; reason: "port"; ports: readonly number[] };

export function judge(
  policy: NetworkPolicy,
  { host, port }: { host: string; port: number },
): PolicyVerdict {
  if (policy.type === "unrestricted") return { isAllowed: true };
  const named = policy.hosts.filter((allowed) => covers(allowed.host, host));
  if (named.length === 0) return { isAllowed: false, reason: "host" };
  if (named.some(({ ports }) => ports?.includes(port) !== false)) return { isAllowed: true };
  const ports = [...new Set(named.flatMap((allowed) => allowed.ports ?? []))];
  return { isAllowed: false, reason: "port", ports };
}

/** Whether any host of a list is one that the policy allows; without a list, any at all. */
export function mayReach(policy: NetworkPolicy, hosts: readonly string[] | undefined): boolean {
  if (policy.type === "unrestricted") return hosts?.length !== 0;
  if (hosts === undefined) return policy.hosts.length > 0;
  return hosts.some((host) => policy.hosts.some((allowed) => haveInCommon(allowed.host, host)));
}

const haveInCommon = (one: string, other: string): boolean =>
  covers(one, other) || covers(other, one) || (other.startsWith("*.") && one === other);

export const covers = (allowed: string, host: string): boolean =>
  allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed;
