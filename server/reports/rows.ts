// Sums of the ledger as reports show them.
import {
  minorOf,
  minorOfHalves,
  pricedClasses,
  type UsageSum,
  type Width,
} from "../usage/module.ts";
import { widthMs, type Range } from "./range.ts";
import {
  groupNames,
  tokenTypes,
  type Actor,
  type ActorName,
  type CostRow,
  type GroupName,
  type UsageRow,
} from "./schema.ts";

export interface Person {
  id: string;
  name: string;
  email: string;
  hasLeft: boolean;
}
export type People = ReadonlyMap<string, Person>;

export const currency = "USD";

export function actorOf(id: string | null | undefined, people: People): Actor | null {
  if (id == null) return null;
  if (id.startsWith("svac_")) return { type: "service_account_actor", service_account_id: id };
  if (!id.startsWith("user_")) return { type: "api_actor", api_key_id: id };
  const person = people.get(id);
  return {
    type: "user_actor",
    user_id: id,
    name: person?.name ?? null,
    email_address: person?.email ?? null,
    deleted: person?.hasLeft ?? true,
  };
}

/** Rule REP4. */
function groupOf({ group }: UsageSum, people: People) {
  const ids = group as Partial<Record<GroupName, string | null>>;
  const plain = Object.fromEntries(groupNames.map((name) => [name, ids[name] ?? null])) as Record<
    Exclude<GroupName, ActorName>,
    string | null
  >;
  return {
    ...plain,
    actor: actorOf(group.actor, people),
    key_maker: actorOf(group.key_maker, people),
    member: actorOf(group.member, people),
  };
}

export function tokensOf(sum: UsageSum) {
  return {
    uncached_input_tokens: Number(sum.input_tokens),
    cache_read_input_tokens: Number(sum.cache_read_tokens),
    cache_creation: {
      ephemeral_5m_input_tokens: Number(sum.cache_write_5m_tokens),
      ephemeral_1h_input_tokens: Number(sum.cache_write_1h_tokens),
    },
    output_tokens: Number(sum.output_tokens),
    server_tool_use: { web_search_requests: Number(sum.web.searches) },
  };
}

function timesOf({ bucket }: UsageSum, width: Width | null, range: Range) {
  const endMs = width === null ? range.to.getTime() : bucket.getTime() + widthMs[width];
  return { starting_at: bucket.toISOString(), ending_at: new Date(endMs).toISOString() };
}

export interface Shown {
  width: Width | null;
  range: Range;
  people: People;
}

export function usageRow(sum: UsageSum, { width, range, people }: Shown): UsageRow {
  const tokens = tokensOf(sum);
  const { cache_creation: made } = tokens;
  const input = tokens.uncached_input_tokens + tokens.cache_read_input_tokens;
  const written = made.ephemeral_5m_input_tokens + made.ephemeral_1h_input_tokens;
  return {
    ...timesOf(sum, width, range),
    group: groupOf(sum, people),
    usage: {
      ...tokens,
      total_tokens: input + written + tokens.output_tokens,
      requests: Number(sum.requests),
    },
  };
}

export interface CostPart {
  cost_type: "tokens" | "web_search" | "session_usage" | null;
  token_type: (typeof tokenTypes)[keyof typeof tokenTypes] | null;
  amount: string;
  list_amount: string;
}

/** Rules REP6, REP11 and REP12. What the models cost, and last what is of no model. */
export function partsOf(sum: UsageSum): CostPart[] {
  const { web, time, requests } = sum;
  const partOf = (
    cost_type: CostPart["cost_type"],
    { amountNano, listAmountNano }: UsageSum["time"],
  ): CostPart => ({
    cost_type,
    token_type: null,
    amount: minorOf(amountNano),
    list_amount: minorOf(listAmountNano),
  });
  const parts: CostPart[] = [];
  if (web.requests !== "0") parts.push(partOf("web_search", web));
  if (time.listAmountNano > 0n) parts.push(partOf("session_usage", time));
  const hasModels = requests !== "0" || parts.length === 0;
  return hasModels ? [...tokenPartsOf(sum), ...parts] : parts;
}

/** What each class cost; last, what is of no known class. */
function tokenPartsOf(sum: UsageSum): CostPart[] {
  const { classes, web, time } = sum;
  if (classes === null) {
    const amount = BigInt(sum.amount_nano) - web.amountNano - time.amountNano;
    const list = BigInt(sum.list_amount_nano) - web.listAmountNano - time.listAmountNano;
    const amounts = { amount: minorOf(amount), list_amount: minorOf(list) };
    return [{ cost_type: "tokens", token_type: null, ...amounts }];
  }
  const parts = pricedClasses.map((name): CostPart => ({
    cost_type: "tokens",
    token_type: tokenTypes[name],
    amount: minorOfHalves(classes.amount[name]),
    list_amount: minorOfHalves(classes.list[name]),
  }));
  const { unknown } = classes.amount;
  const unknownList = classes.list.unknown;
  if (unknown === 0n && unknownList === 0n) return parts;
  const amounts = { amount: minorOfHalves(unknown), list_amount: minorOfHalves(unknownList) };
  return [...parts, { cost_type: "tokens", token_type: null, ...amounts }];
}

export const wholeOf = (sum: UsageSum): CostPart => ({
  cost_type: null,
  token_type: null,
  amount: minorOf(BigInt(sum.amount_nano)),
  list_amount: minorOf(BigInt(sum.list_amount_nano)),
});

/** One row, or one for each part of its cost. */
export function costRows(sum: UsageSum, isParted: boolean, shown: Shown): CostRow[] {
  const { width, range, people } = shown;
  const parts = isParted ? partsOf(sum) : [wholeOf(sum)];
  return parts.map(({ cost_type, token_type, amount, list_amount }) => ({
    ...timesOf(sum, width, range),
    group: { ...groupOf(sum, people), cost_type, token_type },
    cost: {
      amount,
      list_amount,
      currency,
      requests: isParted ? null : Number(sum.requests),
    },
  }));
}
