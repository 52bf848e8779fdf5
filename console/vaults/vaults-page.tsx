// The vaults of a workspace: credentials with which agents reach other services.
import { useNavigate } from "@tanstack/react-router";
import { Vault as VaultIcon } from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useFound, usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useAskedFor, useSearchState, type Search } from "../kit/page/search.ts";
import type { Vault } from "../kit/server/api.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { Badge } from "../kit/value/badge.tsx";
import { vaultActs } from "./vault-acts.tsx";
import { newVault } from "./vault-form.tsx";
import { firstVault } from "./vault-snippets.ts";
import { vaultQueries } from "./vaults.ts";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const [{ q, archived }] = useSearchState();
  const navigate = useNavigate();
  const url = useServerUrl();
  const make = () =>
    newVault(
      workspace,
      ({ id }) => void navigate({ to: "/vaults/$id", params: { id }, search: home }),
    );
  useAskedFor({ vault: make });
  const list = usePagedList(vaultQueries.list(workspace, archived === "shown"));
  return (
    <ListPage
      title="Vaults"
      about="Credentials with which agents reach other services. A session uses those of the vaults that it names."
      noun="vault"
      icon={VaultIcon}
      list={useFound(list, q, ({ id, display_name: name }) => `${id}\n${name}`)}
      columns={columnsOf(home)}
      nameOf={({ display_name: name }) => name}
      acts={(vault) => vaultActs(vault, workspace)}
      create={{ label: "New vault", inPalette: false, run: make }}
      filters={filters}
      empty={{
        title: "No vaults yet",
        children:
          "A vault holds tokens for MCP servers, such as those of one team or of one person. What is put in is encrypted, used by this server alone, and never shown again.",
        snippets: firstVault(url),
      }}
    />
  );
}

const filters: readonly Filter[] = [
  { kind: "search", name: "q", label: "Search name or id" },
  { kind: "check", name: "archived", label: "Show archived" },
];

/** `search` of the address of each vault. */
const columnsOf = (search: Search): Column<Vault>[] => [
  nameColumn({
    className: "md:w-3/5 md:min-w-44",
    name: ({ display_name: name }) => name,
    beside: ({ archived_at: archived }) => archived !== null && <Badge>Archived</Badge>,
    below: ({ id }) => <span className="font-mono">{id}</span>,
    opens: ({ id }) => ({ to: "/vaults/$id", params: { id }, search }),
  }),
  timeColumn("Changed", ({ updated_at: at }) => at),
  timeColumn("Created", ({ created_at: at }) => at),
];
