// What an environment is made of: a new one from what was sent, and an old one with what was sent laid over it.
import { isIPv4 } from "node:net";
import { invalid } from "../../kernel/base/failure.ts";
import { isHostName } from "../../kernel/base/host-name.ts";
import { isPrintable } from "../../kernel/base/name.ts";
import type { World } from "../../kernel/context.ts";
import { limitsAsSet, sandboxSettingsOf, type SandboxSettings } from "../sandboxes/module.ts";
import { limits } from "./limits.ts";
import {
  packageManagers,
  type CloudConfig,
  type CloudParams,
  type ConfigParams,
  type EnvironmentConfig,
} from "./schema.ts";

const fresh: CloudConfig = {
  type: "cloud",
  networking: { type: "unrestricted" },
  packages: { type: "packages", apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
};

type Settings = Pick<World, "sections">;

export const newConfig = (
  settings: Settings,
  params: ConfigParams | null | undefined,
): EnvironmentConfig =>
  params?.type === "self_hosted" ? { type: "self_hosted" } : laidOver(settings, fresh, params);

/** Rule ENV5. */
export function changedConfig(
  settings: Settings,
  config: EnvironmentConfig,
  params: ConfigParams | null | undefined,
): EnvironmentConfig {
  if (params == null) return config;
  if (params.type !== config.type)
    throw invalid(
      `config.type: is ${config.type}, and stays so. Make another environment of the type ${params.type}.`,
      { code: "invalid_config_type_change" },
    );
  return config.type === "cloud" && params.type === "cloud"
    ? laidOver(settings, config, params)
    : config;
}

function laidOver(
  settings: Settings,
  config: CloudConfig,
  params: CloudParams | null | undefined,
): CloudConfig {
  const sandbox =
    params?.sandbox == null
      ? config.sandbox
      : sandboxOf(sandboxSettingsOf(settings), params.sandbox);
  const next: CloudConfig = {
    type: "cloud",
    networking: networkingOf(config.networking, params?.networking),
    packages: packagesOf(config.packages, params?.packages),
    ...(sandbox !== undefined && { sandbox }),
  };
  expectReachablePackages(next);
  return next;
}

/** Undefined where nothing is asked for. Less than the settings give, never more. */
function sandboxOf(
  { limits: given }: SandboxSettings,
  asked: NonNullable<CloudParams["sandbox"]>,
): CloudConfig["sandbox"] {
  const most = limitsAsSet(given);
  for (const name of Object.keys(most) as (keyof typeof most)[])
    if ((asked[name] ?? 0) > most[name])
      throw invalid(
        `config.sandbox.${name}: must be at most ${most[name]}, which the setting sandbox.${name} of this server says.`,
      );
  const { guarantees = [], ...rest } = asked;
  return guarantees.length === 0 && Object.keys(rest).length === 0
    ? undefined
    : { guarantees, ...rest };
}

function networkingOf(
  before: CloudConfig["networking"],
  params: CloudParams["networking"],
): CloudConfig["networking"] {
  if (params == null) return before;
  if (params.type === "unrestricted") return { type: "unrestricted" };
  const limited = before.type === "limited" ? before : undefined;
  const { allowed_hosts: hosts, allow_mcp_servers, allow_package_managers } = params;
  return {
    type: "limited",
    allowed_hosts: hosts
      ? cleanHosts("config.networking.allowed_hosts", hosts)
      : (limited?.allowed_hosts ?? []),
    allow_mcp_servers: allow_mcp_servers ?? limited?.allow_mcp_servers ?? false,
    allow_package_managers: allow_package_managers ?? limited?.allow_package_managers ?? false,
  };
}

function packagesOf(
  before: CloudConfig["packages"],
  params: CloudParams["packages"],
): CloudConfig["packages"] {
  const next = { ...before };
  for (const manager of packageManagers) {
    const given = params?.[manager];
    if (given != null) next[manager] = cleanPackages(`config.packages.${manager}`, given);
  }
  return next;
}

/** They become arguments of a package manager: what begins with a hyphen would be one of its options. */
const cleanPackages = (field: string, names: readonly string[]): string[] =>
  names.map((given, index) => {
    const name = given.trim();
    const isName = name !== "" && !name.startsWith("-") && isPrintable(name);
    if (isName && Array.from(name).length <= limits.packageCharactersMax) return name;
    throw invalid(
      `${field}.${index}: must be a package as its manager names it, with its version where it matters, of 1 to ${limits.packageCharactersMax} characters in one line, and without a hyphen at its beginning.`,
    );
  });

/** Rule ENV4. */
function expectReachablePackages({ networking, packages }: CloudConfig): void {
  const manager = packageManagers.find((each) => packages[each].length > 0);
  if (networking.type !== "limited" || networking.allow_package_managers || manager === undefined)
    return;
  throw invalid(
    `config.networking.allow_package_managers: must be true where there are packages, as in config.packages.${manager}: without it they cannot be installed.`,
  );
}

/** In small letters, each once, in the order in which they were given. */
export const cleanHosts = (field: string, hosts: readonly string[]): string[] => [
  ...new Set(hosts.map((host, index) => cleanHost(`${field}.${index}`, host))),
];

function cleanHost(field: string, given: string): string {
  const host = given.toLowerCase();
  if (isHost(host)) return host;
  throw invalid(
    `${field}: must be a host as in "api.example.com", an IPv4 address, or "*.example.com" for all hosts below it; without scheme, port or path, and with other scripts in their xn-- form.`,
  );
}

export function isHost(host: string): boolean {
  if (host.length > limits.hostCharactersMax) return false;
  if (!host.startsWith("*.")) return isHostName(host);
  const name = host.slice(2);
  // Everything below "com" is no limit.
  return name.includes(".") && isHostName(name) && !isIPv4(name);
}
