// What a list of keys shows of each.
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Column } from "../kit/list/table.tsx";
import type { Key, KeyStatus } from "../kit/server/api.ts";
import { Badge, type Tone } from "../kit/value/badge.tsx";
import { Time } from "../kit/value/time.tsx";
import { plural } from "../../client/text/words.ts";
import { statusWords } from "../kit/value/words.ts";

const statusTones: Record<KeyStatus, Tone> = {
  active: "good",
  inactive: "warn",
  expired: "bad",
  archived: "neutral",
};
const kindWords = { api: "API", admin: "Admin", oauth: "Access token" };

export const keyColumns: Column<Key>[] = [
  nameColumn({
    name: ({ name }) => (
      <span className="line-clamp-2" title={name}>
        {name}
      </span>
    ),
    below: ({ partial_key_hint: hint }) => (
      <span className="font-mono text-xs whitespace-nowrap">{hint}</span>
    ),
  }),
  { title: "Kind", cell: (key) => kindWords[key.kind] },
  {
    title: "Status",
    cell: (key) => <Badge tone={statusTones[key.status]}>{statusWords[key.status]}</Badge>,
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
    <span className="wrap-anywhere">{of.workspace_name ?? of.workspace_id ?? "Organization"}</span>
  );
}

function Created({ of }: { of: Key }) {
  const { created_at: at, created_by: maker } = of;
  return (
    <span>
      <Time at={at} isShort />
      {maker !== null && (
        <span className="block max-w-48 truncate text-sm text-soft md:max-xl:max-w-24 max-md:ml-1.5 max-md:inline">
          by {maker.name ?? (maker.type === "user" ? "somebody who left" : "a service account")}
        </span>
      )}
    </span>
  );
}
