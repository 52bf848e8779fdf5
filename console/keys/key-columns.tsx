// What a list of keys shows of each.
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Column } from "../kit/list/table.tsx";
import type { Key } from "../kit/server/api.ts";
import { ObjectLink } from "../kit/value/object-link.tsx";
import { Time } from "../kit/value/time.tsx";
import { plural } from "../../client/text/words.ts";
import { KeyStatusBadge } from "./key-state.tsx";

export const kindWords = { api: "API", admin: "Admin", oauth: "Access token" };

export const keyColumns: Column<Key>[] = [
  nameColumn({
    name: ({ name }) => (
      <span className="line-clamp-2" title={name}>
        {name}
      </span>
    ),
    opens: ({ id }) => ({ to: "/keys/$id", params: { id } }),
    below: ({ partial_key_hint: hint }) => (
      <span className="font-mono text-xs whitespace-nowrap">{hint}</span>
    ),
  }),
  { title: "Kind", cell: (key) => kindWords[key.kind] },
  {
    title: "Status",
    cell: (key) => <KeyStatusBadge status={key.status} />,
  },
  { title: "Reach", cell: (key) => <Reach of={key} />, className: "md:min-w-28" },
  { title: "Created", cell: (key) => <Created of={key} /> },
  timeColumn("Last used", (key) => key.last_used_at),
  timeColumn("Expires", (key) => key.expires_at),
];

function Reach({ of }: { of: Key }) {
  if (of.scopes.length > 0) {
    return <span title={of.scopes.join("\n")}>{plural(of.scopes.length, "scope")}</span>;
  }
  return (
    <span className="wrap-anywhere">
      {of.workspace_id === null ? (
        "Organization"
      ) : (
        <ObjectLink id={of.workspace_id}>{of.workspace_name ?? of.workspace_id}</ObjectLink>
      )}
    </span>
  );
}

export const makerWords = ({ name, type }: NonNullable<Key["created_by"]>): string =>
  name ?? (type === "user" ? "somebody who left" : "a service account");

function Created({ of }: { of: Key }) {
  const { created_at: at, created_by: maker } = of;
  return (
    <span>
      <Time at={at} isShort />
      {maker !== null && (
        <span className="block max-w-48 truncate text-sm text-soft md:max-xl:max-w-24 max-md:ml-1.5 max-md:inline">
          by{" "}
          <ObjectLink id={maker.id} isInText>
            {makerWords(maker)}
          </ObjectLink>
        </span>
      )}
    </span>
  );
}
