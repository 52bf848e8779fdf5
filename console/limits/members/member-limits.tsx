// Members with their own limits by day, week and month, and what is spent of them.
import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { buttonColumn, nameColumn } from "../../kit/list/columns.tsx";
import type { Filter } from "../../kit/list/filters.tsx";
import { ListView } from "../../kit/list/list-view.tsx";
import { usePagedList } from "../../kit/list/list.ts";
import type { Column } from "../../kit/list/table.tsx";
import { useSearchState } from "../../kit/page/search.ts";
import { useMe } from "../../kit/server/queries.ts";
import { ObjectLink } from "../../kit/value/object-link.tsx";
import { SpentOf } from "../../kit/value/money.tsx";
import { limitQueries } from "../queries.ts";
import { removeMemberLimits, setMemberLimits } from "./set-member-limits.tsx";
import { periodNames, periods, spendQueries, spendSourceWords, type MemberSpend } from "./spend.ts";

const filters: readonly Filter[] = [
  { kind: "search", name: "q", label: "E-mail or name begins with", isAsked: true },
];

export function MemberLimits() {
  const { user, permissions } = useMe();
  const [{ q }] = useSearchState();
  const mayFilter = permissions.includes("members:read");
  const shared = useQuery(limitQueries.spend).data?.data.find(
    ({ scope }) => scope.type === "organization",
  );
  const columns = memberLimitColumns(user.id, shared?.amount);
  return (
    <>
      <p className="mb-4 max-w-[70ch] text-soft">
        What a member asks for in the console, or with a token of theirs, falls under each of these
        limits, beside those of the organization and the workspace. Weeks begin on Monday (UTC).
      </p>
      <ListView
        label="Limits of members"
        noun="member"
        icon={Users}
        list={usePagedList(spendQueries.members(mayFilter ? q : undefined))}
        columns={permissions.includes("limits:write") ? [...columns, actsColumn] : columns}
        filters={mayFilter ? filters : []}
        nothingFits={{
          title: "Nobody has such a name",
          children: "The search compares how an e-mail or a name begins.",
          clear: "Clear the filter",
        }}
        empty={{}}
      />
    </>
  );
}

export const memberLimitColumns = (
  you: string,
  shared: string | null | undefined,
): Column<MemberSpend>[] => [
  nameColumn<MemberSpend>({
    title: "Member",
    className: "",
    name: ({ id, name }) => (
      <span className="line-clamp-2">
        <ObjectLink id={id}>{name}</ObjectLink>
        {id === you && <span className="font-normal text-soft"> (you)</span>}
      </span>
    ),
    below: ({ name, email }) => email !== name && email,
  }),
  ...periods.map((period): Column<MemberSpend> => ({
    title: periodNames[period],
    cell: ({ summaries }) => {
      const summary = summaries.find((each) => each.period === period);
      if (summary === undefined) return null;
      return (
        <SpentOf
          spent={summary.period_to_date_spend}
          limit={summary.amount}
          note={spendSourceWords(summary, shared)}
        />
      );
    },
  })),
];

const isLimited = ({ summaries }: MemberSpend) =>
  summaries.some(({ spend_limit_id: id }) => id !== null);

const actsColumn = buttonColumn(
  (member: MemberSpend) =>
    isLimited(member) ? `the limits of ${member.name}` : `for ${member.name}`,
  (member) => [
    {
      label: isLimited(member) ? "Change" : "Set limits",
      run: () => setMemberLimits(member),
    },
    { label: "Remove", run: () => removeMemberLimits(member), when: isLimited(member) },
  ],
);
