// `plinth limits rate` and `spend`.
import type { Client } from "../../contract/client.ts";
import type { WorkspacesRateLimitsUpdateBody } from "../../contract/types.ts";
import { askAsAdmin } from "../administration.ts";
import { findMember } from "../members/members.ts";
import { printResult } from "../print-result.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import type { RateFlags, SpendFlags } from "./options.ts";
import { formatDollars } from "../../client/text/words.ts";

const typeOf = {
  requests: "requests_per_minute",
  inputTokens: "input_tokens_per_minute_cache_aware",
  outputTokens: "output_tokens_per_minute",
} as const;

export async function setRate(
  terminal: Terminal,
  { workspace, group }: { workspace: string; group: string },
  flags: RateFlags,
): Promise<void> {
  const limits: WorkspacesRateLimitsUpdateBody["limits"] = [];
  for (const name of ["requests", "inputTokens", "outputTokens"] as const) {
    const value = flags[name];
    if (value === undefined) continue;
    limits.push({ type: typeOf[name], value: value === "none" ? null : value });
  }
  if (limits.length === 0)
    throw new CliError(
      "Say what to set: --requests, --input-tokens or --output-tokens.",
      exitCodes.usage,
    );
  const changed = await askAsAdmin(terminal, flags, async (client) => {
    const rate_limit_id = await findGroup(client, workspace, group);
    const params = { workspace_id: workspace, rate_limit_id };
    return client.workspaces.rate_limits.update({ params, body: { limits } });
  });
  printResult(terminal, flags, changed, () =>
    limits
      .map(({ type, value }) => {
        const what = type.replace(/_per_minute.*$/, "").replaceAll("_", " ");
        const most =
          value === null ? "no limit of its own" : `${value.toLocaleString("en")} a minute`;
        return `${group}: ${what}, ${most}\n`;
      })
      .join(""),
  );
}

/** The id of the entry for a group of models, by the name that people know it by. */
async function findGroup(client: Client, workspace: string, group: string): Promise<string> {
  const query = { include_inherited: true, limit: 100 };
  const params = { workspace_id: workspace };
  const names: string[] = [];
  for await (const each of client.pages(client.workspaces.rate_limits.list, { params, query })) {
    if (each.group.display_name === group || each.rate_limit_id === group)
      return each.rate_limit_id;
    names.push(each.group.display_name);
  }
  throw new CliError(
    `No group of models is called ${JSON.stringify(group)}: there are ${names.join(", ")}.`,
    exitCodes.usage,
  );
}

export async function setSpend(
  terminal: Terminal,
  amount: string,
  flags: SpendFlags,
): Promise<void> {
  const { member, workspace, organization, period } = flags;
  const named = [member, workspace, organization].filter((each) => each !== undefined);
  if (named.length !== 1)
    throw new CliError(
      "Say whose limit it is: --member, --workspace or --organization, one of them.",
      exitCodes.usage,
    );
  const whose = member ?? workspace ?? "the organization";
  if (amount === "none" && member === undefined) return takeAway(terminal, whose, flags);
  const set = await askAsAdmin(terminal, flags, async (client) => {
    const scope =
      member !== undefined
        ? ({ type: "user", user_id: await findMember(client, member) } as const)
        : scopeOf(flags);
    const sum = amount === "none" ? null : amount;
    return client.spend_limits.set({ body: { scope, amount: sum, ...(period && { period }) } });
  });
  const most = set.amount === null ? "no limit" : `at most ${formatDollars(set.amount)}`;
  printResult(terminal, flags, set, () => `${whose}: ${most}, ${set.period}\n`);
}

const scopeOf = ({ workspace }: SpendFlags) =>
  workspace === undefined
    ? ({ type: "organization" } as const)
    : ({ type: "workspace", workspace_id: workspace } as const);

/** Organizations and workspaces have no limit where none is set: what was set is deleted. */
async function takeAway(terminal: Terminal, whose: string, flags: SpendFlags): Promise<void> {
  const scope = scopeOf(flags);
  const gone = await askAsAdmin(terminal, flags, async (client) => {
    const query = { scope_type: [scope.type], limit: 100 };
    for await (const each of client.pages(client.spend_limits.list, { query })) {
      const isIt =
        each.scope.type === scope.type &&
        (scope.type === "organization" ||
          (each.scope.type === "workspace" && each.scope.workspace_id === scope.workspace_id));
      if (isIt) return client.spend_limits.delete({ params: { spend_limit_id: each.id } });
    }
    throw new CliError(`No spend limit is set for ${whose}.`);
  });
  printResult(terminal, flags, gone, () => `${whose}: no limit\n`);
}
