// Which limits hold for an organization: what was set, over what is configured, remembered for a moment.
import type { World } from "../../../kernel/context.ts";
import * as queries from "../queries.ts";
import { defaultRates, limits } from "../limits.ts";
import type { LimitsSection, RateType } from "../schema.ts";

export interface Policy {
  organizationId: string;
  /** Null: of no member in particular. */
  userId: string | null;
  rates: readonly queries.RateRow[];
  spends: readonly queries.SpendRow[];
  /** The member's, by period. */
  memberSpends: readonly queries.UserSpendRow[];
  loadedMs: number;
  loading: Promise<Policy> | undefined;
  /** A newer policy is used instead. */
  replaced: boolean;
}

export interface Policies {
  get(organizationId: string, userId: string | null): Promise<Policy>;
  /** Looks again; no request waits for it. */
  renew(policy: Policy): void;
  /** A limit was set here or elsewhere: the next admission looks. */
  forget(organizationId: string): void;
  perMinute(policy: Policy, workspaceId: string, group: string, type: RateType): number | undefined;
}

export function makePolicies(
  { clock, db, logger }: Pick<World, "clock" | "db" | "logger">,
  section: () => LimitsSection,
): Policies {
  const known = new Map<string, Policy>();

  async function load(organizationId: string, userId: string | null): Promise<Policy> {
    const key = keyOf(organizationId, userId);
    const before = known.get(key);
    const loadedMs = clock.monotonicMs();
    const [rates, spends, memberSpends] = await Promise.all([
      queries.selectRates(db, organizationId),
      queries.selectSpends(db, organizationId),
      userId === null ? [] : queries.selectUserSpends(db, organizationId, userId),
    ]);
    const found = { rates, spends, memberSpends };
    if (before !== undefined && !before.replaced && isSame(before, found)) {
      before.loadedMs = loadedMs;
      return before;
    }
    if (before !== undefined) before.replaced = true;
    const times = { loadedMs, loading: undefined, replaced: false };
    const policy = { organizationId, userId, ...found, ...times };
    if (known.size >= limits.scopesMax) known.clear();
    known.set(key, policy);
    return policy;
  }

  const renew = (policy: Policy): Promise<Policy> => {
    policy.loading ??= load(policy.organizationId, policy.userId).finally(() => {
      policy.loading = undefined;
    });
    return policy.loading;
  };

  return {
    get: async (organizationId, userId) => {
      const policy = known.get(keyOf(organizationId, userId));
      if (policy === undefined) return load(organizationId, userId);
      const ageMs = clock.monotonicMs() - policy.loadedMs;
      return !policy.replaced && ageMs < limits.policyFreshMs ? policy : renew(policy);
    },
    renew: (policy) => {
      renew(policy).catch((error: unknown) =>
        logger.warn({ error: String(error) }, "looking for changed limits failed"),
      );
    },
    forget: (organizationId) => {
      for (const policy of known.values())
        if (policy.organizationId === organizationId) policy.replaced = true;
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

const keyOf = (organizationId: string, userId: string | null) =>
  `${organizationId}/${userId ?? ""}`;

type Found = Pick<Policy, "rates" | "spends" | "memberSpends">;

function isSame(policy: Found, found: Found): boolean {
  const key = (rows: readonly object[]) =>
    rows
      .map((row) => JSON.stringify(row))
      .toSorted()
      .join();
  return (["rates", "spends", "memberSpends"] as const).every(
    (name) => key(policy[name]) === key(found[name]),
  );
}
