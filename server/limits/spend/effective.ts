// What each member may spend, and has spent: by day, week and month of UTC.
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize } from "../../../kernel/http/pages.ts";
import { minorOf, nodeOf, postJournal } from "../../usage/module.ts";
import type { Period } from "../periods.ts";
import * as queries from "./queries.ts";
import { limits } from "../limits.ts";
import type { EffectiveQuery, SpendSummary } from "./schema.ts";

export const currency = "USD";

export const actorShown = ({ id, name, email }: queries.MemberRow) =>
  ({
    type: "user_actor",
    user_id: id,
    name: name === "" ? null : name,
    email_address: email,
    deleted: false,
  }) as const;

/** Rule LIM19. The rows of a member stand on one page. */
export async function listEffective(context: Context, query: EffectiveQuery) {
  const { db, who, secrets } = context;
  const { organizationId } = who;
  const cursors = makeCursors(secrets);
  const after = cursors.read("effective_limits", organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit, { itemsMax: limits.listItemsMax });
  const ids = query.user_ids === undefined ? null : query.user_ids;
  const found = await queries.listMembers(db, organizationId, {
    after: after ?? "",
    rows: size + 1,
    ids,
  });
  const members = found.slice(0, size);
  const last = members.at(-1);
  return {
    data: await summariesOf(context, members, query.period),
    next_page:
      found.length > size && last !== undefined
        ? cursors.write("effective_limits", organizationId, last.id)
        : null,
  };
}

const nanoPerThousandth = 10_000n;

/** Of the minor unit, as far as the API shows what is spent. What is enforced is exact. */
const toThousandths = (nano: bigint) =>
  ((nano + nanoPerThousandth / 2n) / nanoPerThousandth) * nanoPerThousandth;

/** For the periods that are asked for; else for those that have a limit, and the month where none has. */
export async function summariesOf(
  context: Context,
  members: readonly queries.MemberRow[],
  asked?: readonly Period[],
): Promise<SpendSummary[]> {
  if (members.length === 0) return [];
  const { db, who } = context;
  const ids = members.map(({ id }) => id);
  const set = await queries.limitsOfUsers(db, who.organizationId, ids);
  await postJournal(context);
  const spent = await queries.spentByUsers(db, who.organizationId, ids, nodeOf(context).now());
  return members.flatMap((member) => {
    const rows = set.filter(({ userId }) => userId === member.id);
    const periods = rows.length === 0 ? (["monthly"] as const) : rows.map(({ period }) => period);
    const sums = spent.find(({ userId }) => userId === member.id);
    return (asked ?? periods).map((period): SpendSummary => {
      const limit = rows.find((row) => row.period === period);
      const scope = { type: "user", user_id: member.id } as const;
      return {
        actor: actorShown(member),
        period,
        amount: limit?.nano == null ? null : minorOf(BigInt(limit.nano)),
        currency,
        period_to_date_spend: minorOf(toThousandths(BigInt(sums?.[period] ?? "0"))),
        scope,
        source: limit === undefined ? { type: "organization" } : scope,
        spend_limit_id: limit?.id ?? null,
      };
    });
  });
}
