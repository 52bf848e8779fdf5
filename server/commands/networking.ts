// `--networking` and `--hosts`: what sandboxes of a command may reach, as environments say it.
import { ExitError } from "../../kernel/base/failure.ts";
import { isAllowedHost } from "../environments/module.ts";
import type { NetworkPolicy } from "../sandboxes/module.ts";
import type { Flags } from "./settings.ts";

/** Named hosts limit. */
export function networkOf({ networking, hosts = [] }: Flags): NetworkPolicy {
  const named = (hosts as string[]).flatMap((host) => host.toLowerCase().split(","));
  const fault = named.find((host) => !isAllowedHost(host));
  if (fault !== undefined)
    throw new ExitError(
      `--hosts: ${JSON.stringify(fault)} is no host as in "api.example.com", no IPv4 address, and no "*.example.com" for all hosts below it.`,
      2,
    );
  if (networking === "unrestricted" && named.length > 0)
    throw new ExitError(
      "Unrestricted networking reaches everything: --hosts goes with --networking limited.",
      2,
    );
  if (networking !== "limited" && named.length === 0) return { type: "unrestricted" };
  return { type: "limited", hosts: named.map((host) => ({ host })) };
}
