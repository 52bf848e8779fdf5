// The upstreams, how each fares, and a test for each.
import { useMutation, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { buttonColumn, nameColumn } from "../../kit/list/columns.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { api, type Upstream, type UpstreamHealth as Health } from "../../kit/server/api.ts";
import { plural } from "../../../client/text/words.ts";
import { modelQueries } from "../queries.ts";
import { removeUpstream } from "../removals.tsx";
import { TestFound } from "./test-found.tsx";
import { addUpstream, changeUpstream } from "./upstream-form.tsx";
import { UpstreamHealth } from "./upstream-health.tsx";

const kindWords = { messages: "Messages", chat: "Chat completions", simulator: "Simulator" };

export function Upstreams({ upstreams }: { upstreams: readonly Upstream[] }) {
  const { data: health, error } = useQuery(modelQueries.upstreamHealth);
  const test = useMutation({
    mutationFn: (name: string) => api.upstreams.test({ body: { name } }),
  });
  const acts = buttonColumn(nameOf, (upstream: Upstream) => [
    { label: "Test", run: () => test.mutate(upstream.name), busy: test.isPending },
    { label: "Change", run: () => changeUpstream(upstream), when: upstream.origin === "console" },
    {
      label: "Remove",
      run: () => removeUpstream(upstream.name),
      when: upstream.origin === "console",
    },
  ]);
  return (
    <Section
      title="Upstreams"
      note={<>The servers that models are asked at. {health && wholeWords(health.processes)}</>}
      actions={
        <Button onClick={addUpstream}>
          <Plus size={16} aria-hidden />
          Add an upstream
        </Button>
      }
    >
      {error !== null && <TroubleBox error={error} />}
      <div className="grid gap-3">
        <Table
          label="Upstreams"
          columns={[...columns(health?.data ?? []), acts]}
          rows={upstreams}
          keyOf={nameOf}
        />
        {test.data !== undefined && <TestFound found={test.data} />}
        {test.error !== null && <TroubleBox error={test.error} />}
      </div>
    </Section>
  );
}

const nameOf = ({ name }: Upstream): string => name;

/** Whose numbers they are. */
function wholeWords({ asked, answered }: { asked: number; answered: number }): string {
  if (answered < asked)
    return `Their health is what ${plural(answered, "process", "processes")} of this server saw; ${asked - answered} did not answer in time.`;
  if (asked === 1) return "Their health is what this server saw.";
  return `Their health is what the ${asked} processes of this server saw.`;
}

const columns = (health: readonly Health[]): Column<Upstream>[] => [
  nameColumn({ className: "", name: nameOf, below: ({ kind }) => kindWords[kind] }),
  {
    title: "Health",
    cell: ({ name }) => <UpstreamHealth health={health.find((each) => each.name === name)} />,
  },
  {
    title: "Address",
    cell: ({ base_url, origin }) => (
      <span className="wrap-anywhere">
        {base_url ?? "This process"}
        {origin === "settings" && (
          <span className="block text-sm text-soft">in the settings file</span>
        )}
      </span>
    ),
  },
  {
    title: "Key",
    cell: ({ key_hint, header_names }) => (
      <span className="font-mono text-sm">
        {key_hint ?? "None"}
        {header_names.length > 0 && (
          <span className="block font-sans text-soft" title={header_names.join("\n")}>
            {plural(header_names.length, "header")}
          </span>
        )}
      </span>
    ),
  },
];
