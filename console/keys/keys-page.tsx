// API keys: the list, its filters, and the ways to create and change them.
import { KeyRound } from "lucide-react";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useFound, usePagedList, type List } from "../kit/list/list.ts";
import { Button } from "../kit/page/button.tsx";
import { useSearchState, type Search } from "../kit/page/search.ts";
import type { Key, KeyKind, KeyStatus, Me } from "../kit/server/api.ts";
import { useMe, useServerUrl } from "../kit/server/queries.ts";
import { useNames } from "../kit/value/names.ts";
import { firstRequest } from "../kit/value/snippets.ts";
import { CreateKey } from "./create-key.tsx";
import { keyActs } from "./key-acts.tsx";
import { keyColumns } from "./key-columns.tsx";
import { keyQueries } from "./queries.ts";

export function Page() {
  const me = useMe();
  const url = useServerUrl();
  const [search, change] = useSearchState();
  const mayWrite = me.permissions.includes("api_keys:write");
  return (
    <ListPage
      title="API keys"
      about="A key lets a program in. An API key belongs to one workspace; an admin key manages the organization."
      noun="key"
      icon={KeyRound}
      list={useKeys(search, me.user.id)}
      columns={keyColumns}
      nameOf={({ name }) => name}
      acts={mayWrite ? keyActs : undefined}
      create={
        mayWrite
          ? { label: "Create key", run: () => change({ new: "api" }), inPalette: false }
          : undefined
      }
      beside={
        search["unused"] === undefined && (
          <Button onClick={() => change({ unused: "30" })}>Unused for 30 days</Button>
        )
      }
      filters={filtersOf(me, useElsewhere(search, me), useMaker(search))}
      nothingFits={{
        title: "No key fits these filters",
        children: "Keys with another name, status or kind are hidden.",
      }}
      empty={{
        title: "No keys yet",
        children: "Create one, and send your first request to this server:",
        snippets: firstRequest(url),
      }}
    >
      <CreateKey
        kind={search.new === "admin" ? "admin" : "api"}
        open={search.new !== undefined && mayWrite}
        onClose={() => change({ new: undefined })}
      />
    </ListPage>
  );
}

const statuses: readonly { value: string; label: string; status?: KeyStatus[] }[] = [
  { value: "active", label: "Active", status: ["active"] },
  { value: "inactive", label: "Inactive", status: ["inactive"] },
  { value: "expired", label: "Expired", status: ["expired"] },
  { value: "archived", label: "Archived", status: ["archived"] },
  { value: "all", label: "Any status" },
];
const notArchived: { status?: KeyStatus[] } = { status: ["active", "inactive", "expired"] };

const kinds: readonly { value: KeyKind; label: string }[] = [
  { value: "api", label: "API keys" },
  { value: "admin", label: "Admin keys" },
  { value: "oauth", label: "Access tokens" },
];

interface Place {
  value: string;
  label: string;
}

const isWorkspaceId = (text: string | undefined): text is string =>
  text?.startsWith("wrkspc_") === true;

const placesOf = ({ workspaces }: Me): Place[] =>
  workspaces
    .filter(({ makes_keys: makes }) => makes)
    .map(({ id, name }) => ({ value: id, label: name }));

/** The page of a workspace leads here also for who administers it and does not work in it. */
function useElsewhere({ workspace }: Search, me: Me): Place[] {
  const nameOf = useNames();
  if (!isWorkspaceId(workspace) || placesOf(me).some(({ value }) => value === workspace)) return [];
  return [{ value: workspace, label: nameOf(workspace) ?? workspace }];
}

const isPersonId = (text: string | undefined): text is string => text?.startsWith("user_") === true;

/** The page of a person leads here. */
function useMaker({ maker }: Search): Place[] {
  const nameOf = useNames();
  return isPersonId(maker) ? [{ value: maker, label: `Made by ${nameOf(maker) ?? maker}` }] : [];
}

function filtersOf(me: Me, elsewhere: Place[], makers: Place[]): Filter[] {
  const choice = { kind: "choice" } as const;
  return [
    { kind: "search", name: "q", label: "Search name or hint" },
    { ...choice, name: "status", label: "Status", any: "Not archived", choices: statuses },
    { ...choice, name: "kind", label: "Kind", any: "Any kind", choices: kinds },
    ...(me.workspaces.length + elsewhere.length > 1
      ? [
          {
            ...choice,
            name: "workspace",
            label: "Workspace",
            any: "Any workspace",
            choices: [...placesOf(me), ...elsewhere],
          },
        ]
      : []),
    {
      ...choice,
      name: "maker",
      label: "Made by",
      any: "Made by anybody",
      choices: [{ value: "me", label: "Made by me" }, ...makers],
    },
    { kind: "fact", name: "unused", label: "Unused for days" },
  ];
}

/** Undefined for what the server would refuse. */
const daysOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined;

function useKeys({ q, kind, status, workspace, maker, unused }: Search, me: string): List<Key> {
  const chosen = kinds.find(({ value }) => value === kind);
  const { status: wanted } = statuses.find(({ value }) => value === status) ?? notArchived;
  const days = daysOf(unused);
  const list = usePagedList(
    keyQueries.list({
      ...(chosen !== undefined && { kind: [chosen.value] }),
      ...(isWorkspaceId(workspace) && { workspace_id: workspace }),
      ...(days !== undefined && { unused_days: days }),
      ...(maker === "me" && { created_by_user_id: me }),
      ...(isPersonId(maker) && { created_by_user_id: maker }),
      ...(wanted !== undefined && { status: wanted }),
    }),
  );
  return useFound(list, q, ({ name, id, partial_key_hint: hint }) => `${name} ${id} ${hint}`);
}
