// Changing a key: rename, deactivate, activate, archive. Each says what will happen before it does.
import { Archive, CirclePause, CirclePlay, Pencil } from "lucide-react";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { api, type Key, type KeyChange } from "../kit/server/api.ts";
import { relativeTime } from "../kit/value/time.ts";

const update = (key: Key, body: KeyChange) => api.keys.update({ params: { key_id: key.id }, body });

export function keyActs(key: Key): MenuAct[] {
  if (key.status === "archived") return [];
  const { status } = key;
  return [
    { label: "Rename", icon: Pencil, run: () => rename(key) },
    {
      label: "Deactivate",
      icon: CirclePause,
      run: () => deactivate(key),
      when: status === "active",
    },
    { label: "Activate", icon: CirclePlay, run: () => activate(key), when: status === "inactive" },
    { label: "Archive", icon: Archive, run: () => archive(key) },
  ];
}

const rename = (key: Key) => openDialog({ title: "Rename the key", body: <RenameForm of={key} /> });

function RenameForm({ of: key }: { of: Key }) {
  const form = useForm({
    start: { name: key.name },
    save: ({ name }) => update(key, { name: name.trim() }),
    done: ({ name }) => `Renamed to ${name}`,
  });
  const name = form.values.name.trim();
  return (
    <Form form={form} label="Rename" isReady={name !== "" && name !== key.name}>
      <TextField label="Name" maxLength={200} {...form.field("name")} />
    </Form>
  );
}

const deactivate = (key: Key) =>
  confirm({
    title: "Deactivate this key?",
    label: "Deactivate",
    run: () => update(key, { status: "inactive" }),
    done: `${key.name} is deactivated`,
    children: (
      <>
        <EndOf of={key} />
        <p>You can activate it again at any time.</p>
      </>
    ),
  });

const activate = (key: Key) =>
  confirm({
    title: "Activate this key?",
    label: "Activate",
    look: "primary",
    run: () => update(key, { status: "active" }),
    done: `${key.name} works again`,
    children: (
      <p>
        Requests with <Named>{key.name}</Named> are let in again within a second.
      </p>
    ),
  });

const archive = (key: Key) =>
  confirm({
    title: "Archive this key for ever?",
    label: "Archive",
    typed: key.name,
    run: () => update(key, { status: "archived" }),
    done: `${key.name} is archived`,
    children: (
      <>
        <EndOf of={key} />
        <p>
          An archived key can never be activated again; programs need a new one. Its past stays in
          the audit log.
        </p>
      </>
    ),
  });

function EndOf({ of: { name, last_used_at: used } }: { of: Key }) {
  return (
    <p>
      Every program that uses <Named>{name}</Named> stops working: within a second its requests are
      answered 401, on every process of this server.{" "}
      {used === null ? "It was never used." : `It was last used ${relativeTime(used)}.`}
    </p>
  );
}
