// How the sandboxes of an environment are made on this server, what holds in them, and what each may use.
import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Table, type Column } from "../../kit/list/table.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { SandboxFacts } from "../../kit/server/api.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Fact } from "../../kit/value/facts.tsx";
import type { CloudConfig, Workspace } from "../environments.ts";
import {
  guarantees,
  levels,
  missingOf,
  sandboxQueries,
  sizeNames,
  sizes,
  sizeText,
  type Asked,
  type Guarantee,
} from "./sandbox-words.ts";

export function EnvironmentSandboxes({
  config,
  workspace,
}: {
  config: CloudConfig;
  workspace: Workspace;
}) {
  const { data, error, refetch } = useQuery(sandboxQueries.facts(workspace));
  return (
    <Section title="Sandboxes" note="How they are made on this server, and what holds in them.">
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton />}
      {data !== undefined && <Made facts={data} asked={config.sandbox ?? { guarantees: [] }} />}
    </Section>
  );
}

function Made({ facts, asked }: { facts: SandboxFacts; asked: Asked }) {
  const missing = missingOf(facts, asked.guarantees);
  return (
    <div className="grid gap-4">
      {facts.can_be_made ? (
        <p className="wrap-anywhere">
          <span className="font-medium">{facts.provider}</span>
          <span className="text-soft">: {facts.reason}</span>
        </p>
      ) : (
        <Warning>
          No sandbox can be made here: {facts.reason} {facts.mend}
        </Warning>
      )}
      {facts.can_be_made && missing.length > 0 && (
        <Warning>
          No session begins in this environment: it asks for{" "}
          {missing.map(({ name }) => guarantees[name].toLowerCase()).join(", ")}, and this machine
          does not enforce {missing.length === 1 ? "it" : "them"}.
        </Warning>
      )}
      <Sizes facts={facts} asked={asked} />
      {facts.can_be_made && (
        <Table
          label="Guarantees of sandboxes"
          columns={columnsFor(asked)}
          rows={facts.guarantees}
          keyOf={({ name }) => name}
        />
      )}
    </div>
  );
}

const Warning = ({ children }: { children: ReactNode }) => (
  <p role="alert" className="flex items-start gap-3 rounded-lg bg-warn-soft p-3 text-warn">
    <TriangleAlert size={18} aria-hidden className="mt-0.5 shrink-0" />
    <span className="min-w-0 wrap-anywhere">{children}</span>
  </p>
);

/** The less of what the settings give and what the environment says. */
function Sizes({ facts: { limits }, asked }: { facts: SandboxFacts; asked: Asked }) {
  return (
    <section aria-label="What a sandbox may use">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
        {sizeNames.map((name) => (
          <Fact key={name} name={sizes[name].label}>
            {sizeText(name, Math.min(limits[name], asked[name] ?? limits[name]))}
          </Fact>
        ))}
      </dl>
    </section>
  );
}

const columnsFor = ({ guarantees: asked }: Asked): Column<Guarantee>[] => [
  {
    title: "Guarantee",
    heads: true,
    cell: ({ name }) => (
      <span className="inline-flex flex-wrap items-center gap-x-2 font-medium">
        {guarantees[name]}
        {asked.includes(name) && <Badge tone="accent">Asked for</Badge>}
      </span>
    ),
  },
  {
    title: "Level",
    cell: ({ level }) => <Badge tone={levels[level].tone}>{levels[level].word}</Badge>,
  },
  {
    title: "What holds",
    cell: ({ reason, mend }) => (
      <span className="min-w-0 wrap-anywhere">
        {reason}
        {mend !== undefined && <span className="block text-sm text-soft">{mend}</span>}
      </span>
    ),
  },
];
