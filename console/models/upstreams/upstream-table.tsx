// The table of upstreams, with a test for each.
import { useMutation } from "@tanstack/react-query";
import { api, type Upstream, type UpstreamHealth as Health } from "../../kit/server/api.ts";
import { plural } from "../../kit/value/words.ts";
import { Button } from "../../kit/page/button.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";
import { TestFound } from "./test-found.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { UpstreamHealth } from "./upstream-health.tsx";

const kindWords = { messages: "Messages", chat: "Chat completions", simulator: "Simulator" };

export function UpstreamTable({
  upstreams,
  health,
  onEdit,
  onRemove,
}: {
  upstreams: readonly Upstream[];
  health: readonly Health[];
  onEdit: (upstream: Upstream) => void;
  onRemove: (upstream: Upstream) => void;
}) {
  const test = useMutation({
    mutationFn: (name: string) => api.upstreams.test({ body: { name } }),
  });
  return (
    <div className="grid gap-3">
      <Table
        label="Upstreams"
        columns={columns(health, {
          onEdit,
          onRemove,
          onTest: test.mutate,
          busy: test.isPending,
        })}
        rows={[...upstreams]}
        keyOf={({ name }) => name}
      />
      {test.data !== undefined && <TestFound found={test.data} />}
      {test.error !== null && <TroubleBox error={test.error} />}
    </div>
  );
}

interface ActProps {
  onEdit: (upstream: Upstream) => void;
  onRemove: (upstream: Upstream) => void;
  onTest: (name: string) => void;
  busy: boolean;
}

const columns = (health: readonly Health[], acts: ActProps): Column<Upstream>[] => [
  {
    title: "Name",
    heads: true,
    cell: ({ name, kind }) => (
      <>
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="block text-sm text-soft">{kindWords[kind]}</span>
      </>
    ),
  },
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
  {
    title: "Acts",
    bare: true,
    foot: true,
    className: "md:text-right",
    cell: (upstream) => <Acts upstream={upstream} {...acts} />,
  },
];

function Acts({ upstream, onEdit, onRemove, onTest, busy }: ActProps & { upstream: Upstream }) {
  const { name, origin } = upstream;
  return (
    <span className="inline-flex flex-wrap gap-1.5 md:justify-end">
      <Button aria-label={`Test ${name}`} busy={busy} onClick={() => onTest(name)}>
        Test
      </Button>
      {origin === "console" && (
        <>
          <Button aria-label={`Change ${name}`} onClick={() => onEdit(upstream)}>
            Change
          </Button>
          <Button aria-label={`Remove ${name}`} onClick={() => onRemove(upstream)}>
            Remove
          </Button>
        </>
      )}
    </span>
  );
}
