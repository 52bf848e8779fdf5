// The programs that may act in a person's name, each with its end.
import { useQuery } from "@tanstack/react-query";
import { useAct } from "../kit/form/act.ts";
import { api, type ProgramSignIn } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { Button } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { accountQueries } from "./queries.ts";

export function ProgramSignIns() {
  const { data, error, refetch } = useQuery(accountQueries.programSignIns);
  const end = useAct({
    mutationFn: ({ id }: ProgramSignIn) =>
      api.program_sign_ins.delete({ params: { program_sign_in_id: id } }),
    onSuccess: () => {
      void queryClient.invalidateQueries();
      say.good("That program acts in your name no longer");
    },
    onError: say.error,
  });
  return (
    <Section
      title="Programs that act in your name"
      note="They began with ./plinth login, and you granted them access. What they may do ends with your role."
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton rows={1} />}
      {data?.data.length === 0 && (
        <p className="text-soft">
          None. <code>./plinth login</code> in a terminal signs one in.
        </p>
      )}
      {data !== undefined && data.data.length > 0 && (
        <Table
          label="Programs"
          columns={columns((program) => end.mutate(program), end.isPending)}
          rows={data.data}
          keyOf={({ id }) => id}
        />
      )}
    </Section>
  );
}

const columns = (end: (program: ProgramSignIn) => void, busy: boolean): Column<ProgramSignIn>[] => [
  {
    title: "Program",
    heads: true,
    cell: ({ client, user_agent }) => <span title={user_agent}>{client}</span>,
  },
  { title: "May", cell: ({ scopes }) => <code>{scopes.join(" ")}</code> },
  { title: "Address", cell: ({ address }) => address },
  { title: "Granted", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Last renewed", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  {
    title: "Acts",
    bare: true,
    className: "text-right",
    cell: (program) => (
      <Button
        busy={busy}
        aria-label={`End the access of ${program.client}`}
        onClick={() => end(program)}
      >
        End
      </Button>
    ),
  },
];
