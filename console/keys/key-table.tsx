// The table of keys, with a menu of acts at the end of each row.
import { Menu } from "@base-ui/react/menu";
import { Archive, CirclePause, CirclePlay, Ellipsis, Pencil } from "lucide-react";
import type { ReactNode } from "react";
import type { KeyAct } from "./key-acts.tsx";
import type { Key, KeyStatus } from "../kit/server/api.ts";
import { plural, statusWords } from "../kit/value/words.ts";
import { Badge, type Tone } from "../kit/value/badge.tsx";
import { buttonClass } from "../kit/page/button.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";

const statusTones: Record<KeyStatus, Tone> = {
  active: "good",
  inactive: "warn",
  expired: "bad",
  archived: "neutral",
};
const kindWords = { api: "API", admin: "Admin", oauth: "Access token" };

export function KeyTable({ rows, onAct }: { rows: Key[]; onAct?: (act: KeyAct) => void }) {
  const columns: Column<Key>[] = [
    {
      title: "Name",
      heads: true,
      className: "md:min-w-48",
      cell: (key) => (
        <>
          <span className="line-clamp-2 font-medium wrap-anywhere" title={key.name}>
            {key.name}
          </span>
          <span className="block font-mono text-xs whitespace-nowrap text-soft">
            {key.partial_key_hint}
          </span>
        </>
      ),
    },
    { title: "Kind", cell: (key) => kindWords[key.kind] },
    {
      title: "Status",
      cell: (key) => <Badge tone={statusTones[key.status]}>{statusWords[key.status]}</Badge>,
    },
    { title: "Reach", cell: (key) => <Reach of={key} />, className: "md:min-w-28" },
    { title: "Created", cell: (key) => <Created of={key} /> },
    { title: "Last used", cell: (key) => <Time at={key.last_used_at} /> },
    { title: "Expires", cell: (key) => <Time at={key.expires_at} /> },
  ];
  if (onAct !== undefined) {
    columns.push({
      title: "Acts",
      bare: true,
      className: "text-right",
      cell: (key) => key.status !== "archived" && <Acts of={key} onAct={onAct} />,
    });
  }
  return <Table label="API keys" columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

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
      <Time at={at} />
      {maker !== null && (
        <span className="block max-w-48 truncate text-sm text-soft md:max-xl:max-w-24 max-md:ml-1.5 max-md:inline">
          by {maker.name ?? (maker.type === "user" ? "somebody who left" : "a service account")}
        </span>
      )}
    </span>
  );
}

const item =
  "flex items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover max-md:py-2.5";

function Acts({ of, onAct }: { of: Key; onAct: (act: KeyAct) => void }) {
  const act = (kind: KeyAct["kind"], icon: ReactNode, label: string) => (
    <Menu.Item className={item} onClick={() => onAct({ kind, key: of })}>
      {icon}
      {label}
    </Menu.Item>
  );
  return (
    <Menu.Root>
      <Menu.Trigger className={buttonClass("quiet", "icon")} aria-label={`Change ${of.name}`}>
        <Ellipsis size={16} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} className="z-30">
          <Menu.Popup className="fade w-44 rounded-lg border border-line bg-surface p-1 text-left text-ink shadow-lift outline-none">
            {act("rename", <Pencil size={16} aria-hidden />, "Rename")}
            {of.status === "active" &&
              act("deactivate", <CirclePause size={16} aria-hidden />, "Deactivate")}
            {of.status === "inactive" &&
              act("activate", <CirclePlay size={16} aria-hidden />, "Activate")}
            {act("archive", <Archive size={16} aria-hidden />, "Archive")}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
