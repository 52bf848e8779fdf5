// Seats: how many there are in which tier, and how many are held.
import { Armchair, Pencil } from "lucide-react";
import { nameColumn } from "../kit/list/columns.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Button } from "../kit/page/button.tsx";
import type { SeatTier } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { Bar } from "../kit/value/bar.tsx";
import { memberQueries } from "../members/member-queries.ts";
import { setSeats } from "./set-seats.tsx";

export function Page() {
  const mayWrite = useMe().permissions.includes("seats:write");
  const list = useWholeList(memberQueries.seats);
  const change = () => setSeats(list.rows);
  return (
    <ListPage
      title="Seats"
      about="Each member and each pending invite holds one seat. New ones come from the lowest tier with a free seat; withdrawn and expired invites give theirs back."
      noun="tier"
      icon={Armchair}
      list={list}
      columns={columns}
      actions={
        mayWrite &&
        list.rows.length > 0 && (
          <Button look="primary" onClick={change}>
            <Pencil size={16} aria-hidden />
            Change the pool
          </Button>
        )
      }
      empty={{
        title: "Seats are not counted",
        children:
          "Anybody may be invited. Set a pool where licences, or a budget, allow so many people and no more.",
        action: mayWrite && (
          <Button look="primary" onClick={change}>
            Set a pool
          </Button>
        ),
      }}
    />
  );
}

const columns: Column<SeatTier>[] = [
  nameColumn<SeatTier>({ title: "Tier", className: "md:min-w-40", name: ({ name }) => name }),
  { title: "Held", cell: ({ taken }) => taken.toLocaleString() },
  { title: "Free", cell: ({ taken, seats }) => (seats - taken).toLocaleString() },
  { title: "Seats", cell: ({ seats }) => seats.toLocaleString() },
  {
    title: "Use",
    className: "md:w-1/3",
    cell: ({ taken, seats }) => (
      <Bar share={seats === 0 ? 1 : taken / seats} tone={taken >= seats ? "bad" : "accent"} />
    ),
  },
];
