// The keys of the workers of a self-hosted environment: made, shown once, revoked.
import { Plus, ShieldOff } from "lucide-react";
import { confirm, Named } from "../../kit/dialog/confirmation.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { SecretOnce } from "../../kit/dialog/secret-once.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { nameColumn, timeColumn } from "../../kit/list/columns.tsx";
import { ListView } from "../../kit/list/list-view.tsx";
import { usePagedList } from "../../kit/list/list.ts";
import type { Column } from "../../kit/list/table.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { server, type Environment, type EnvironmentKey } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Name } from "../../kit/value/name.tsx";
import { Time } from "../../kit/value/time.tsx";
import { environmentQueries, limits, renewEnvironments, type Workspace } from "../environments.ts";

interface Place {
  environment: Environment;
  workspace: Workspace;
}

const titleOf = ({ name, partial_key_hint: hint }: EnvironmentKey): string => name ?? hint;

export function EnvironmentKeys({ environment, workspace }: Place) {
  const isOpen = environment.archived_at === null;
  return (
    <Section
      title="Keys"
      note="Each worker takes work with a key. Give every worker its own, and you can revoke them one by one."
      actions={
        isOpen && (
          <Button look="primary" onClick={() => makeKey({ environment, workspace })}>
            <Plus size={16} aria-hidden />
            Create key
          </Button>
        )
      }
    >
      <ListView
        label="Keys of the environment"
        noun="key"
        list={usePagedList(environmentQueries.keys(workspace, environment.id))}
        columns={columns}
        nameOf={titleOf}
        acts={(key) => [
          {
            label: "Revoke",
            icon: ShieldOff,
            isBad: true,
            when: key.revoked_at === null,
            run: () => revoke(key, workspace),
          },
        ]}
        empty={{ children: "There is no key yet: no worker can take work." }}
      />
    </Section>
  );
}

const columns: Column<EnvironmentKey>[] = [
  nameColumn<EnvironmentKey>({
    name: (key) => key.name ?? <span className="text-soft">No name</span>,
    below: ({ partial_key_hint: hint }) => <span className="font-mono">{hint}</span>,
  }),
  {
    title: "State",
    cell: ({ revoked_at: revoked }) =>
      revoked === null ? (
        <Badge tone="good">Active</Badge>
      ) : (
        <span>
          <Badge>Revoked</Badge> <Time at={revoked} isShort />
        </span>
      ),
  },
  { title: "Made by", cell: ({ created_by: id }) => <Name id={id} /> },
  timeColumn("Created", ({ created_at: at }) => at),
];

const makeKey = (place: Place): void =>
  openDialog({ title: "Create a key for a worker", body: <KeyForm {...place} /> });

function KeyForm({ environment, workspace }: Place) {
  const form = useForm({
    start: { name: "" },
    save: ({ name }) =>
      server.environments.keys.create({
        params: { environment_id: environment.id },
        body: { name: name.trim() === "" ? null : name.trim() },
        headers: inWorkspace(workspace),
      }),
    renew: renewEnvironments,
    next: (made) => showSecret(made, made.secret),
  });
  return (
    <Form form={form} label="Create key" isReady>
      <TextField
        label="Name"
        hint="Which worker will use it, so that you know later what stops when it is revoked."
        maxLength={limits.keyNameCharactersMax}
        autoComplete="off"
        {...form.field("name")}
      />
    </Form>
  );
}

const showSecret = (key: EnvironmentKey, secret: string): void =>
  openDialog({
    title: `The secret of ${titleOf(key)}`,
    locked: true,
    wide: true,
    body: (
      <SecretOnce
        label={`Secret of ${titleOf(key)}`}
        secret={secret}
        kept="I have stored this secret"
        about={
          <>
            Give it to the worker. Plinth stores only its fingerprint:{" "}
            <strong className="font-semibold">nobody can show it again.</strong>
          </>
        }
      />
    ),
  });

const revoke = (key: EnvironmentKey, workspace: Workspace) =>
  confirm({
    title: "Revoke this key?",
    label: "Revoke the key",
    keep: "Keep it",
    run: () =>
      server.environments.keys.revoke({
        params: { environment_id: key.environment_id, environment_key_id: key.id },
        headers: inWorkspace(workspace),
      }),
    done: `${titleOf(key)} is revoked`,
    renew: renewEnvironments,
    children: (
      <p>
        The worker that uses <Named>{titleOf(key)}</Named> gets no work within a second. A revoked
        key never works again.
      </p>
    ),
  });
