// The programs that may act in a person's name, each with its end.
import { useAct } from "../kit/form/act.ts";
import { timeColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Button } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { say } from "../kit/page/say.ts";
import { api, type ProgramSignIn } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { accountQueries } from "./queries.ts";

export function ProgramSignIns() {
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
      note="They began with ./plinth login, or as clients of the MCP server, and you granted them access. What they may do ends with your role."
    >
      <ListView
        label="Programs"
        list={useWholeList(accountQueries.programSignIns)}
        columns={columns(end.mutate, end.isPending)}
        empty={{
          children: (
            <>
              None. <code>./plinth login</code> in a terminal signs one in.
            </>
          ),
        }}
      />
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
  timeColumn("Granted", ({ created_at: at }) => at),
  timeColumn("Last renewed", ({ last_used_at: at }) => at),
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
