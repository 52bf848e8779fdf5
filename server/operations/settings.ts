// What the settings file says of the network: where this server may go when strangers choose the address.
import { Type } from "typebox";
import { parseRange } from "../../kernel/base/addresses.ts";
import { ExitError } from "../../kernel/base/failure.ts";
import type { NetworkSettings } from "../../kernel/http/outside/fetch.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import type { Loaded } from "../../kernel/settings/load.ts";

const rangesMax = 100;
const usageExitCode = 2;

export const networkSection = defineSection({
  name: "network",
  describe: "Private addresses that identity providers and issuers of tokens may have.",
  schema: Type.Object(
    {
      allow_private_addresses: Type.Optional(Type.Array(Type.String(), { maxItems: rangesMax })),
    },
    { additionalProperties: false },
  ),
  fallback: {},
});

export function readNetworkSettings({
  section,
  file = "the settings file",
}: Pick<Loaded<unknown>, "section" | "file">): NetworkSettings {
  const settings = section(networkSection);
  const wrong = settings.allow_private_addresses?.find((text) => parseRange(text) === undefined);
  if (wrong === undefined) return settings;
  throw new ExitError(
    `network.allow_private_addresses in ${file}: ${JSON.stringify(wrong.slice(0, 80))} is not a range of addresses such as 10.0.0.0/8.`,
    usageExitCode,
  );
}
