// One vault: its credentials, and the sessions that have it.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";
import { Section } from "../kit/page/page-header.tsx";
import type { Search } from "../kit/page/search.ts";
import type { Session, Vault } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { useWorkspace, useWorkspaceOf } from "../kit/server/workspace.ts";
import { Badge } from "../kit/value/badge.tsx";
import { FactRow, Facts, IdRow, MetadataRow } from "../kit/value/facts.tsx";
import { Time } from "../kit/value/time.tsx";
import { Credentials } from "./credentials/credentials.tsx";
import { vaultActs } from "./vault-acts.tsx";
import { vaultQueries, type Workspace } from "./vaults.ts";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const navigate = useNavigate();
  const read = useQuery(vaultQueries.one(workspace, id));
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(vaultQueries.one(other, id)),
  );
  const toList = () => void navigate({ to: "/vaults", search: home });
  return (
    <DetailPage
      back={{ to: "/vaults", search: home, label: "All vaults" }}
      noun="Vault"
      read={read}
      isLooking={isLooking}
      titleOf={({ display_name: name }) => name}
      actsOf={(vault) => vaultActs(vault, workspace, toList)}
    >
      {(vault) => (
        <>
          <VaultFacts vault={vault} />
          <Credentials vault={vault} workspace={workspace} />
          <SessionsWith vault={vault} workspace={workspace} home={home} />
        </>
      )}
    </DetailPage>
  );
}

function VaultFacts({ vault }: { vault: Vault }) {
  const { id, metadata, archived_at: archived, created_at: created } = vault;
  return (
    <Facts>
      {archived !== null && (
        <FactRow name="State">
          <Badge>Archived</Badge> <Time at={archived} />: its secrets are destroyed, and no session
          begins with it.
        </FactRow>
      )}
      <MetadataRow metadata={metadata} />
      <IdRow id={id} />
      <FactRow name="Created">
        <Time at={created} />
      </FactRow>
    </Facts>
  );
}

function SessionsWith({
  vault,
  workspace,
  home,
}: {
  vault: Vault;
  workspace: Workspace;
  home: Search;
}) {
  return (
    <Section
      title="Used by"
      note="The sessions that have this vault, without those that are archived."
    >
      <ListView
        label="Sessions with this vault"
        noun="session"
        list={usePagedList(vaultQueries.sessions(workspace, vault.id))}
        columns={columnsOf(home)}
        nameOf={({ title, id }) => title ?? id}
        empty={{ children: "No session has this vault." }}
      />
    </Section>
  );
}

const columnsOf = (search: Search): Column<Session>[] => [
  nameColumn<Session>({
    name: ({ title, id }) => title ?? id,
    below: ({ agent }) => agent.name,
    opens: ({ id }) => ({ to: "/sessions/$id", params: { id }, search }),
  }),
  timeColumn("Begun", ({ created_at: at }) => at),
];
