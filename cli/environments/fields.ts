// What flags and a file say of an environment, as fields of a request.
import { asFields, metadataOf, type Fields } from "../request-body.ts";
import { CliError, exitCodes } from "../terminal.ts";
import { packageManagers, type EnvironmentFlags } from "./options.ts";

export function environmentFields(
  given: Fields,
  flags: EnvironmentFlags,
  isUpdate: boolean,
): Fields {
  const { name, description } = flags;
  const config = configOf(asFields(given["config"]), flags);
  return {
    ...given,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description === "" ? null : description }),
    ...(config !== undefined && { config }),
    ...metadataOf(given, flags.metadata, isUpdate),
  };
}

/** Undefined where no flag is about it. What is not named of a config stays. */
function configOf(given: Fields, flags: EnvironmentFlags): Fields | undefined {
  const networking = networkingOf(asFields(given["networking"]), flags);
  const packages = packagesOf(asFields(given["packages"]), flags);
  if (flags.selfHosted === true) {
    if (networking === undefined && packages === undefined) return { type: "self_hosted" };
    throw new CliError(
      "The worker of a self-hosted environment says itself what it has and reaches: leave networking, hosts and packages out.",
      exitCodes.usage,
    );
  }
  if (networking === undefined && packages === undefined) return undefined;
  return {
    ...given,
    type: "cloud",
    ...(networking !== undefined && { networking }),
    ...(packages !== undefined && { packages }),
  };
}

function networkingOf(given: Fields, flags: EnvironmentFlags): Fields | undefined {
  const { networking, hosts, allowMcpServers, allowPackageManagers } = flags;
  const rules = {
    ...(hosts !== undefined && { allowed_hosts: named(hosts) }),
    ...(allowMcpServers !== undefined && { allow_mcp_servers: allowMcpServers }),
    ...(allowPackageManagers !== undefined && { allow_package_managers: allowPackageManagers }),
  };
  if (Object.keys(rules).length === 0 && networking === undefined) return undefined;
  const type = networking ?? (hosts === undefined ? given["type"] : "limited");
  if (type === "unrestricted" && Object.keys(rules).length > 0)
    throw new CliError(
      "Unrestricted networking reaches everything: what is allowed is said with --networking limited.",
      exitCodes.usage,
    );
  // An environment that reaches everything would lose all of that by a flag that allows something.
  if (type === undefined)
    throw new CliError(
      "What is allowed counts under limited networking: say --networking limited with it, or --hosts.",
      exitCodes.usage,
    );
  return type === "unrestricted" ? { type } : { ...given, type, ...rules };
}

function packagesOf(given: Fields, flags: EnvironmentFlags): Fields | undefined {
  const listed = packageManagers.flatMap((manager) => {
    const { [manager]: packages } = flags;
    return packages === undefined ? [] : [[manager, named(packages)] as const];
  });
  return listed.length === 0 ? undefined : { ...given, ...Object.fromEntries(listed) };
}

/** An empty text names nothing: so a list is emptied. */
const named = (names: readonly string[]): string[] => names.filter((name) => name !== "");
