// Members with their own limits by day, week and month, and what is spent of them.
import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { useState } from "react";
import { MemberLimitsForm, RemoveMemberLimits } from "./set-member-limits.tsx";
import { useCommands } from "../../kit/page/commands.ts";
import { usePaging } from "../../kit/list/paging.ts";
import { useMe } from "../../kit/server/queries.ts";
import { useSearchState } from "../../kit/page/search.ts";
import { periodNames, periods, spendQueries, spendSourceWords, type MemberSpend } from "./spend.ts";
import { Button } from "../../kit/page/button.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { SearchInput } from "../../kit/form/field.tsx";
import { Pager } from "../../kit/list/pager.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { SpendShare } from "./spend-share.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { limitQueries } from "../queries.ts";

export function MemberLimits() {
  const { permissions } = useMe();
  const [{ q }, change] = useSearchState();
  const mayFilter = permissions.includes("members:read");
  const filter = mayFilter && q !== undefined ? { q } : {};
  const paging = usePaging(JSON.stringify(filter));
  const page = paging.cursor === undefined ? {} : { page: paging.cursor };
  const { data, error, refetch } = useQuery(spendQueries.members({ ...filter, ...page }));
  const [setting, setSetting] = useState<MemberSpend>();
  const [removing, setRemoving] = useState<MemberSpend>();
  const acts = { onSet: setSetting, onRemove: setRemoving };
  return (
    <>
      <p className="mb-4 max-w-[70ch] text-soft">
        What a member asks for in the console, or with a token of theirs, falls under each of these
        limits, beside those of the organization and the workspace. Weeks begin on Monday (UTC).
      </p>
      {mayFilter && (
        <Filter q={q ?? ""} onChange={(next) => change({ q: next === "" ? undefined : next })} />
      )}
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <RowsSkeleton />}
      {data !== undefined && data.members.length > 0 && (
        <MemberSpendTable
          members={data.members}
          acts={permissions.includes("limits:write") ? acts : undefined}
        />
      )}
      {data?.members.length === 0 && (
        <EmptyState
          icon={Users}
          title="Nobody has such a name"
          action={<Button onClick={() => change({ q: undefined })}>Clear the filter</Button>}
        >
          The search compares how an e-mail or a name begins.
        </EmptyState>
      )}
      <Pager
        paging={paging}
        next={data?.next_page ?? null}
        label={["Previous members", "More members"]}
      />
      <MemberLimitsForm member={setting} onClose={() => setSetting(undefined)} />
      <RemoveMemberLimits member={removing} onClose={() => setRemoving(undefined)} />
    </>
  );
}

function Filter({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  useCommands([
    {
      id: "limits:search",
      label: "Search the list",
      group: "This page",
      keys: "/",
      inPalette: false,
      run: () => document.querySelector<HTMLInputElement>("[data-search]")?.focus(),
    },
  ]);
  return (
    <search aria-label="Filter members" className="mb-4 flex flex-wrap gap-2">
      <SearchInput
        label="E-mail or name begins with"
        value={q}
        onChange={({ target }) => onChange(target.value)}
      />
    </search>
  );
}

interface Acts {
  onSet: (member: MemberSpend) => void;
  onRemove: (member: MemberSpend) => void;
}

function MemberSpendTable({ members, acts }: { members: MemberSpend[]; acts: Acts | undefined }) {
  const { user } = useMe();
  const shared = useQuery(limitQueries.spend).data?.data.find(
    ({ scope }) => scope.type === "organization",
  );
  const columns: Column<MemberSpend>[] = [
    {
      title: "Member",
      heads: true,
      cell: ({ id, name, email }) => (
        <>
          <span className="line-clamp-2 font-medium wrap-anywhere">
            {name}
            {id === user.id && <span className="font-normal text-soft"> (you)</span>}
          </span>
          {email !== name && <span className="block text-sm wrap-anywhere text-soft">{email}</span>}
        </>
      ),
    },
    ...periods.map((period): Column<MemberSpend> => ({
      title: periodNames[period],
      cell: ({ summaries }) => {
        const summary = summaries.find((each) => each.period === period);
        if (summary === undefined) return null;
        return <SpendShare summary={summary} note={spendSourceWords(summary, shared?.amount)} />;
      },
    })),
  ];
  if (acts !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      foot: true,
      className: "md:text-right",
      cell: (member) => <MemberActs member={member} acts={acts} />,
    });
  return (
    <Table label="Limits of members" columns={columns} rows={members} keyOf={({ id }) => id} />
  );
}

function MemberActs({ member, acts }: { member: MemberSpend; acts: Acts }) {
  const isSet = member.summaries.some(({ spend_limit_id: id }) => id !== null);
  return (
    <span className="inline-flex flex-wrap gap-1.5 md:justify-end">
      <Button
        aria-label={isSet ? `Change the limits of ${member.name}` : `Set limits for ${member.name}`}
        onClick={() => acts.onSet(member)}
      >
        {isSet ? "Change" : "Set limits"}
      </Button>
      {isSet && (
        <Button
          aria-label={`Remove the limits of ${member.name}`}
          onClick={() => acts.onRemove(member)}
        >
          Remove
        </Button>
      )}
    </span>
  );
}
