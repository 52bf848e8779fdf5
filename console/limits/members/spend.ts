// What members may spend and have spent: the words for it, and what the pages read.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, type IncreaseRequest, type Period, type SpendSummary } from "../../kit/server/api.ts";

const rowsPerPage = 50;
const refetchInterval = 5_000;

/** A list that comes page by page, and is read again all the time. */
const paged = <Page extends { next_page: string | null }>(
  name: readonly (string | undefined)[],
  read: (page: string | undefined) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey: ["limits", ...name],
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_page: next }) => next ?? undefined,
    refetchInterval,
    placeholderData: keepPreviousData,
  });

export const periods: readonly Period[] = ["daily", "weekly", "monthly"];
export const periodNames: Record<Period, string> = {
  daily: "Today",
  weekly: "This week",
  monthly: "This month",
};
/** Goes after "a": `5.00 a day`. */
export const periodWords: Record<Period, string> = {
  daily: "day",
  weekly: "week",
  monthly: "month",
};
/** Goes after "spent". */
export const soFarWords: Record<Period, string> = {
  daily: "today",
  weekly: "this week",
  monthly: "this month",
};

export interface MemberSpend {
  id: string;
  name: string;
  email: string;
  summaries: SpendSummary[];
}

type Person = SpendSummary["actor"];

export const nameOf = ({ name, email_address: email, user_id: id }: Person): string =>
  name ?? email ?? id;

/** Members in the order of the list, each with their periods. */
function byMember(summaries: readonly SpendSummary[]): MemberSpend[] {
  const groups = Map.groupBy(summaries, ({ actor }) => actor.user_id);
  return [...groups].flatMap(([id, own]) => {
    const [first] = own;
    if (first === undefined) return [];
    return [
      { id, name: nameOf(first.actor), email: first.actor.email_address ?? "", summaries: own },
    ];
  });
}

/** Names are looked up among the members; then their limits are asked for. */
async function membersOf(q: string | undefined, page: string | undefined) {
  const period = [...periods];
  if (q === undefined) {
    const query = { period, limit: rowsPerPage, page };
    const { data, next_page } = await api.spend_limits.effective({ query });
    return { data: byMember(data), next_page };
  }
  const found = await api.members.list({ query: { q, page, limit: rowsPerPage } });
  if (found.data.length === 0) return { data: [], next_page: found.next_page };
  const user_ids = found.data.map(({ id }) => id);
  const { data } = await api.spend_limits.effective({
    query: { period, user_ids, limit: rowsPerPage },
  });
  return { data: byMember(data), next_page: found.next_page };
}

const requestsOf = (status: IncreaseRequest["status"][], page: string | undefined) =>
  api.spend_limit_increase_requests.list({ query: { status, page, limit: rowsPerPage } });

export const spendQueries = {
  members: (q: string | undefined) => paged(["members", q], (page) => membersOf(q, page)),
  of: (id: string) =>
    queryOptions({
      queryKey: ["limits", "of", id],
      queryFn: async () => {
        const query = { period: [...periods], user_ids: [id] };
        return byMember((await api.spend_limits.effective({ query })).data);
      },
      refetchInterval,
    }),
  pending: paged(["requests", "pending"], (page) => requestsOf(["pending"], page)),
  decided: paged(["requests", "decided"], (page) => requestsOf(["approved", "denied"], page)),
  own: queryOptions({
    queryKey: ["limits", "own"],
    queryFn: () => api.own_spend.retrieve(),
    refetchInterval,
  }),
};

/** Where the limit of a member comes from. Only the month has a shared one. */
export function spendSourceWords(
  { amount, spend_limit_id: id, period }: SpendSummary,
  sharedAmount: string | null | undefined,
): string {
  if (amount !== null) return "set for them";
  if (id !== null) return "set to have no limit";
  return period === "monthly" && sharedAmount != null
    ? "the organization's limit holds"
    : "no limit of their own";
}
