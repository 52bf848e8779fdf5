// A passkey is added, gets another name, or is removed.
import { Fingerprint, Pencil, Trash2 } from "lucide-react";
import { confirm } from "../kit/dialog/confirmation.tsx";
import { TextField } from "../kit/form/field.tsx";
import { Fault, Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { makePasskey, refusalWords } from "../kit/identity/passkeys.ts";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { api, type Passkey } from "../kit/server/api.ts";
import { deviceWords } from "../kit/value/words.ts";

export const passkeyActs = (passkey: Passkey, isLast: boolean): MenuAct[] => [
  { label: "Rename", icon: Pencil, run: () => rename(passkey) },
  { label: "Remove", icon: Trash2, run: () => remove(passkey, isLast), isBad: true },
];

export const addPasskey = (): void =>
  openDialog({
    title: "Add a passkey",
    description:
      "Your device or password manager keeps it and asks for your finger, face or PIN. It signs you in without a password, and no other site can ask for it.",
    body: <AddForm />,
  });

function AddForm() {
  const form = useForm({
    start: { name: deviceWords(navigator.userAgent) },
    save: async ({ name }) => {
      const { id, rawId, type, response } = await makePasskey().catch((error: unknown) => {
        const refusal = refusalWords(error);
        throw refusal === undefined ? error : new Fault(refusal);
      });
      const { clientDataJSON, attestationObject, transports = [] } = response;
      const made = { clientDataJSON, attestationObject, transports };
      const credential = { id, rawId, type, response: made };
      return api.passkeys.create({ body: { name: name.trim(), credential } });
    },
    done: ({ name }) => `${name} can sign you in now`,
  });
  const label = (
    <>
      <Fingerprint size={16} aria-hidden />
      Continue
    </>
  );
  return (
    <Form form={form} label={label} isReady={form.values.name.trim() !== ""}>
      <TextField
        label="Name"
        hint="So that you know it again when you have several."
        required
        maxLength={100}
        autoComplete="off"
        {...form.field("name")}
      />
    </Form>
  );
}

const rename = (passkey: Passkey) =>
  openDialog({ title: `Rename ${passkey.name}`, body: <RenameForm of={passkey} /> });

function RenameForm({ of: { id, name } }: { of: Passkey }) {
  const form = useForm({
    start: { name },
    save: (typed) =>
      api.passkeys.update({ params: { passkey_id: id }, body: { name: typed.name.trim() } }),
  });
  return (
    <Form form={form} label="Rename" isReady={form.values.name.trim() !== ""}>
      <TextField label="Name" required maxLength={100} autoComplete="off" {...form.field("name")} />
    </Form>
  );
}

const remove = ({ id, name }: Passkey, isLast: boolean) =>
  confirm({
    title: `Remove ${name}?`,
    label: "Remove the passkey",
    keep: "Keep it",
    run: () => api.passkeys.delete({ params: { passkey_id: id } }),
    done: `${name} signs nobody in any more`,
    children: (
      <p>
        {isLast
          ? "It is your last passkey: you sign in with your password alone from now on. Delete it from your device or password manager too."
          : "It signs you in no more. Delete it from your device or password manager too."}
      </p>
    ),
  });
