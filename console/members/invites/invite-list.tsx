// The invites of an organization: who is asked to join, and how far each has come.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { MailPlus, UserPlus } from "lucide-react";
import { useState } from "react";
import { InviteActs, type InviteAct } from "./invite-acts.tsx";
import type { InviteStatus } from "../../kit/server/api.ts";
import { memberQueries } from "../member-queries.ts";
import { usePaging } from "../../kit/list/paging.ts";
import { type Search } from "../../kit/page/search.ts";
import { Button } from "../../kit/page/button.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { FilterSelect, SearchInput } from "../../kit/form/field.tsx";
import { inviteFilters, InviteTable } from "./invite-table.tsx";
import { Pager } from "../../kit/list/pager.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

type Change = (patch: Search) => void;

const none = { q: undefined, role: undefined, status: undefined };
const value = (event: { target: { value: string } }) =>
  event.target.value === "" ? undefined : event.target.value;

const isInviteStatus = (text: string | undefined): text is InviteStatus =>
  text !== undefined && Object.hasOwn(inviteFilters, text);

export function InviteList({
  search: { q, status },
  change,
  hasMail,
  mayWrite,
  invite,
}: {
  search: Search;
  change: Change;
  hasMail: boolean;
  mayWrite: boolean;
  invite: (() => void) | undefined;
}) {
  const [act, setAct] = useState<InviteAct>();
  const filter = {
    ...(q !== undefined && { email: q }),
    ...(isInviteStatus(status) && { statuses: [status] }),
  };
  const paging = usePaging(JSON.stringify(filter));
  const list = useQuery({
    ...memberQueries.invites({
      ...filter,
      ...(paging.cursor !== undefined && { page: paging.cursor }),
    }),
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.data ?? [];
  const isFiltered = q !== undefined || status !== undefined;
  return (
    <>
      <InviteFilters q={q} status={status} change={change} />
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {rows.length > 0 && (
        <InviteTable rows={rows} hasMail={hasMail} {...(mayWrite && { onAct: setAct })} />
      )}
      {list.data !== undefined && rows.length === 0 && (
        <NoInvite isFiltered={isFiltered} clear={() => change(none)} invite={invite} />
      )}
      <Pager
        paging={paging}
        next={list.data?.next_page ?? null}
        label={["Newer invites", "Older invites"]}
      />
      <InviteActs act={act} onClose={() => setAct(undefined)} />
    </>
  );
}

function InviteFilters({
  q,
  status,
  change,
}: {
  q: string | undefined;
  status: string | undefined;
  change: Change;
}) {
  return (
    <search aria-label="Filter invites" className="mb-4 flex flex-wrap gap-2">
      <SearchInput
        label="Whole e-mail"
        value={q ?? ""}
        onChange={(event) => change({ q: value(event) })}
      />
      <FilterSelect
        label="Status"
        value={status ?? ""}
        onChange={(event) => change({ status: value(event) })}
      >
        <option value="">Any status</option>
        {Object.entries(inviteFilters).map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </FilterSelect>
    </search>
  );
}

function NoInvite({
  isFiltered,
  clear,
  invite,
}: {
  isFiltered: boolean;
  clear: () => void;
  invite: (() => void) | undefined;
}) {
  return (
    <EmptyState
      icon={MailPlus}
      title={isFiltered ? "No invite fits these filters" : "Nobody was invited yet"}
      action={
        isFiltered ? (
          <Button onClick={clear}>Clear the filters</Button>
        ) : (
          invite !== undefined && (
            <Button look="primary" onClick={invite}>
              <UserPlus size={16} aria-hidden />
              Invite
            </Button>
          )
        )
      }
    >
      An invite is a link that works once, for 21 days. Whoever opens it chooses a name and a
      password, and is a member.
    </EmptyState>
  );
}
