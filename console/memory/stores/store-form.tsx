// What a store says of itself: name, description, metadata. For a new one, and for one that is there.
import { AreaField, TextField } from "../../kit/form/field.tsx";
import { Form, useForm, type FormState } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { Pairs, pairsOf, patchOf, recordOf } from "../../kit/form/pairs.tsx";
import { server, type MemoryStore } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { renewStores, type Workspace } from "../memory-queries.ts";

export const newStore = (workspace: Workspace, onMade: (store: MemoryStore) => void): void =>
  openDialog({
    title: "New memory store",
    body: <NewForm workspace={workspace} onMade={onMade} />,
  });

export const editStore = (store: MemoryStore, workspace: Workspace): void =>
  openDialog({
    title: "Edit the store",
    body: <EditForm store={store} workspace={workspace} />,
  });

const valuesOf = (store?: MemoryStore) => ({
  name: store?.name ?? "",
  description: store?.description ?? "",
  pairs: pairsOf(store?.metadata ?? {}),
});
type Values = ReturnType<typeof valuesOf>;

const bodyOf = ({ name, description, pairs }: Values) => ({
  name: name.trim(),
  description,
  metadata: recordOf(pairs),
});

function NewForm({
  workspace,
  onMade,
}: {
  workspace: Workspace;
  onMade: (store: MemoryStore) => void;
}) {
  const form = useForm({
    start: valuesOf(),
    save: (values) =>
      server.memory_stores.create({ body: bodyOf(values), headers: inWorkspace(workspace) }),
    renew: renewStores,
    done: ({ name }) => `${name} is there`,
    next: onMade,
  });
  return <Fields form={form} label="Create store" />;
}

function EditForm({ store, workspace }: { store: MemoryStore; workspace: Workspace }) {
  const form = useForm({
    start: valuesOf(store),
    save: (_, { name, description, pairs }) => {
      const body = {
        ...(name !== undefined && { name: name.trim() }),
        ...(description !== undefined && { description }),
        ...(pairs && { metadata: patchOf(store.metadata, recordOf(pairs)) }),
      };
      return server.memory_stores.update({
        params: { memory_store_id: store.id },
        body,
        headers: inWorkspace(workspace),
      });
    },
    renew: renewStores,
    done: () => "Saved",
  });
  return <Fields form={form} label="Save" />;
}

function Fields({ form, label }: { form: FormState<Values>; label: string }) {
  return (
    <Form form={form} label={label} isReady={form.values.name.trim() !== ""}>
      <TextField label="Name" required maxLength={255} autoComplete="off" {...form.field("name")} />
      <AreaField
        label="Description"
        hint="Agents read name and description, and judge by them what to look for here."
        maxLength={1_024}
        rows={3}
        {...form.field("description")}
      />
      <Pairs
        legend="Metadata"
        pairs={form.values.pairs}
        most={{ pairs: 16, key: 64, value: 512 }}
        onChange={(pairs) => form.set({ pairs })}
      />
    </Form>
  );
}
