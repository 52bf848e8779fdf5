// Seats: how many there are in which tier, and how many are held.
import { useQuery } from "@tanstack/react-query";
import { Armchair, Pencil } from "lucide-react";
import { useState } from "react";
import { SetSeats } from "./set-seats.tsx";
import type { SeatTier } from "../kit/server/api.ts";
import { memberQueries } from "../members/member-queries.ts";
import { useMe } from "../kit/server/queries.ts";
import { Bar } from "../kit/value/bar.tsx";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function Page() {
  const { permissions } = useMe();
  const { data, error, refetch } = useQuery(memberQueries.seats);
  const [isOpen, open] = useState(false);
  const mayWrite = permissions.includes("seats:write");
  const tiers = data?.tiers ?? [];
  return (
    <>
      <PageHeader
        title="Seats"
        actions={
          mayWrite &&
          tiers.length > 0 && (
            <Button look="primary" onClick={() => open(true)}>
              <Pencil size={16} aria-hidden />
              Change the pool
            </Button>
          )
        }
      >
        Each member and each pending invite holds one seat. New ones come from the lowest tier with
        a free seat; withdrawn and expired invites give theirs back.
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton rows={2} />}
      {tiers.length > 0 && (
        <Table label="Seat tiers" columns={columns} rows={tiers} keyOf={({ id }) => id} />
      )}
      {data !== undefined && tiers.length === 0 && (
        <EmptyState
          icon={Armchair}
          title="Seats are not counted"
          action={
            mayWrite && (
              <Button look="primary" onClick={() => open(true)}>
                Set a pool
              </Button>
            )
          }
        >
          Anybody may be invited. Set a pool where licences, or a budget, allow so many people and
          no more.
        </EmptyState>
      )}
      {data !== undefined && <SetSeats tiers={tiers} open={isOpen} onClose={() => open(false)} />}
    </>
  );
}

const columns: Column<SeatTier>[] = [
  {
    title: "Tier",
    heads: true,
    className: "md:min-w-40",
    cell: ({ name }) => <span className="font-medium wrap-anywhere">{name}</span>,
  },
  { title: "Held", cell: ({ taken }) => taken.toLocaleString() },
  { title: "Free", cell: ({ taken, seats }) => (seats - taken).toLocaleString() },
  { title: "Seats", cell: ({ seats }) => seats.toLocaleString() },
  {
    title: "Use",
    className: "md:w-1/3",
    cell: ({ taken, seats }) => (
      <Bar share={seats === 0 ? 1 : taken / seats} full={taken >= seats} />
    ),
  },
];
