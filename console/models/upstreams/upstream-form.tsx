// Adding an upstream, or changing one. Its key is written and never shown again.
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, type NewUpstream, type Upstream } from "../../kit/server/api.ts";
import { namesIn } from "../model-draft.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { takenBy } from "../../kit/value/words.ts";
import { Button } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/form/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../kit/form/field.tsx";
import { FormTrouble } from "../../kit/form/form-trouble.tsx";
import { TestFound } from "./test-found.tsx";
import { say } from "../../kit/page/toast.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

interface Props {
  upstream: Upstream | undefined;
  /** What there is: a new one must not take the place of another unseen. */
  names: readonly string[];
  onClose: () => void;
}

export function UpstreamForm({ open, ...props }: Props & { open: boolean }) {
  const { upstream, onClose } = props;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={upstream === undefined ? "Add an upstream" : `Change ${upstream.name}`}
      description="A server that models are asked at. Its key is encrypted, and sent to this address only."
    >
      {open && <Form key={upstream?.name ?? ""} {...props} />}
    </Dialog>
  );
}

interface Draft {
  name: string;
  kind: Upstream["kind"];
  baseUrl: string;
  key: string;
  forgetKey: boolean;
  pass: string;
}

const kinds = {
  messages: "Messages (passed through)",
  chat: "Chat completions (translated)",
  simulator: "Simulator",
};

const startOf = (upstream: Upstream | undefined): Draft => ({
  name: upstream?.name ?? "",
  kind: upstream?.kind ?? "messages",
  baseUrl: upstream?.base_url ?? "",
  key: "",
  forgetKey: false,
  pass: upstream?.pass.join(", ") ?? "",
});

const bodyOf = (
  { name, kind, baseUrl, key, forgetKey, pass }: Draft,
  before?: Upstream,
): NewUpstream => ({
  name: name.trim(),
  kind,
  ...(kind !== "simulator" && { base_url: baseUrl.trim() }),
  ...(key !== "" && { key }),
  ...(key === "" && forgetKey && { key: null }),
  pass: namesIn(pass),
  ...(before?.timeouts !== undefined && { timeouts: before.timeouts }),
});

function useUpstreamForm({ upstream, names, onClose }: Props) {
  const [fault, setFault] = useState<string>();
  const [draft, setDraft] = useState(() => startOf(upstream));
  const save = useMutation({
    mutationFn: () => api.upstreams.set({ body: bodyOf(draft, upstream) }),
    // The form holds a key: nothing of it stays.
    gcTime: 0,
    onSuccess: async ({ name }) => {
      await queryClient.invalidateQueries();
      say.good(`${name} can be asked`);
      onClose();
    },
  });
  const test = useMutation({
    gcTime: 0,
    mutationFn: () =>
      api.upstreams.test({
        body: {
          base_url: draft.baseUrl.trim(),
          ...(upstream !== undefined && { name: upstream.name }),
          ...(draft.key !== "" && { key: draft.key }),
        },
      }),
    onSuccess: ({ kind }) => {
      if (kind !== null) setDraft((before) => ({ ...before, kind }));
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    const name = draft.name.trim();
    const isTaken = upstream === undefined && names.includes(name);
    setFault(isTaken ? takenBy("upstream", name) : undefined);
    if (!isTaken) save.mutate();
  }
  return {
    draft,
    save,
    test,
    submit,
    fault,
    change: (patch: Partial<Draft>) => setDraft((before) => ({ ...before, ...patch })),
  };
}

function Form(props: Props) {
  const { upstream, onClose } = props;
  const { draft, save, test, change, submit, fault } = useUpstreamForm(props);
  const isRemote = draft.kind !== "simulator";
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="Name"
        hint={upstream === undefined ? "Small letters, digits, dots and dashes." : undefined}
        value={draft.name}
        required
        readOnly={upstream !== undefined}
        autoComplete="off"
        onChange={({ target }) => change({ name: target.value })}
      />
      {isRemote && <Address draft={draft} change={change} upstream={upstream} />}
      <SelectField
        label="It speaks"
        value={draft.kind}
        onChange={({ target }) => change({ kind: target.value as Draft["kind"] })}
      >
        {Object.entries(kinds).map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </SelectField>
      {isRemote && (
        <TextField
          label="Further fields that it takes"
          hint="Passed on untouched; with commas between."
          value={draft.pass}
          autoComplete="off"
          onChange={({ target }) => change({ pass: target.value })}
        />
      )}
      {test.data !== undefined && <TestFound found={test.data} />}
      {test.error !== null && <TroubleBox error={test.error} />}
      <FormTrouble fault={fault} error={save.error} />
      <DialogActions>
        {isRemote && (
          <Button
            className="mr-auto"
            busy={test.isPending}
            disabled={draft.baseUrl.trim() === ""}
            onClick={() => test.mutate()}
          >
            Test this upstream
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending}>
          {upstream === undefined ? "Add the upstream" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}

function keyHint(upstream: Upstream | undefined): string {
  if (upstream === undefined) return "Empty where it wants none.";
  if (upstream.key_hint === null) return "It has none.";
  return `It has ${upstream.key_hint}. Empty: that one stays, as long as the address does.`;
}

function Address({
  draft,
  change,
  upstream,
}: {
  draft: Draft;
  change: (patch: Partial<Draft>) => void;
  upstream: Upstream | undefined;
}) {
  return (
    <>
      <TextField
        label="Address"
        type="url"
        hint="Without /v1/messages, as in http://127.0.0.1:11434."
        value={draft.baseUrl}
        required
        autoComplete="off"
        onChange={({ target }) => change({ baseUrl: target.value })}
      />
      <TextField
        label="Key"
        type="password"
        hint={keyHint(upstream)}
        value={draft.key}
        autoComplete="new-password"
        onChange={({ target }) => change({ key: target.value })}
      />
      {upstream !== undefined && upstream.key_hint !== null && draft.key === "" && (
        <CheckField
          label="Forget its key"
          checked={draft.forgetKey}
          onChange={({ target }) => change({ forgetKey: target.checked })}
        />
      )}
    </>
  );
}
