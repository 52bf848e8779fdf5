// Which limits hold for an organization: what was set, over what is configured, remembered for a moment.
import type { World } from "../../kernel/context.ts";
import * as queries from "./queries.ts";
import { defaultRates, limits, type LimitsSection, type RateType } from "./schema.ts";

export interface Policy {
  organizationId: string;
  rates: readonly queries.RateRow[];
  spends: readonly queries.SpendRow[];
  loadedMs: number;
  loading: Promise<Policy> | undefined;
  /** Another has taken its place. */
  replaced: boolean;
}

export interface Policies {
  get(organizationId: string): Promise<Policy>;
  /** Looks again without anyone who waits. */
  renew(policy: Policy): void;
  /** It was set here or elsewhere: the next admission looks. */
  forget(organizationId: string): void;
  perMinute(policy: Policy, workspaceId: string, group: string, type: RateType): number | undefined;
}

export function makePolicies(
  { clock, db, logger }: Pick<World, "clock" | "db" | "logger">,
  section: () => LimitsSection,
): Policies {
  const known = new Map<string, Policy>();

  async function load(organizationId: string): Promise<Policy> {
    const before = known.get(organizationId);
    const loadedMs = clock.monotonicMs();
    const [rates, spends] = await Promise.all([
      queries.selectRates(db, organizationId),
      queries.selectSpends(db, organizationId),
    ]);
    if (before !== undefined && !before.replaced && isSame(before, rates, spends)) {
      before.loadedMs = loadedMs;
      return before;
    }
    if (before !== undefined) before.replaced = true;
    const policy = { organizationId, rates, spends, loadedMs, loading: undefined, replaced: false };
    if (known.size >= limits.scopesMax) known.clear();
    known.set(organizationId, policy);
    return policy;
  }

  const renew = (policy: Policy): Promise<Policy> => {
    policy.loading ??= load(policy.organizationId).finally(() => {
      policy.loading = undefined;
    });
    return policy.loading;
  };

  return {
    get: async (organizationId) => {
      const policy = known.get(organizationId);
      if (policy === undefined) return load(organizationId);
      const ageMs = clock.monotonicMs() - policy.loadedMs;
      return !policy.replaced && ageMs < limits.policyFreshMs ? policy : renew(policy);
    },
    renew: (policy) => {
      renew(policy).catch((error: unknown) =>
        logger.warn({ error: String(error) }, "looking for changed limits failed"),
      );
    },
    forget: (organizationId) => {
      const policy = known.get(organizationId);
      if (policy !== undefined) policy.replaced = true;
    },
    perMinute: (policy, workspaceId, group, type) => {
      const set = policy.rates.find(
        (row) => row.workspaceId === workspaceId && row.group === group && row.type === type,
      );
      const configured = section();
      return (
        set?.perMinute ??
        (workspaceId === ""
          ? (configured.organization?.[type] ?? defaultRates[type])
          : configured.workspace?.[type])
      );
    },
  };
}

function isSame(
  policy: Policy,
  rates: readonly queries.RateRow[],
  spends: readonly queries.SpendRow[],
): boolean {
  const key = (rows: readonly object[]) =>
    rows
      .map((row) => JSON.stringify(row))
      .toSorted()
      .join();
  return key(policy.rates) === key(rates) && key(policy.spends) === key(spends);
}
