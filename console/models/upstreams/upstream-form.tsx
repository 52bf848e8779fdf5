// Adding an upstream, or changing one. Its key is written and never shown again.
import { useMutation, useQuery } from "@tanstack/react-query";
import { CheckField, TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { SelectField, type SelectChoice } from "../../kit/form/select.tsx";
import { Button } from "../../kit/page/button.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { api, type NewUpstream, type Upstream } from "../../kit/server/api.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { takenBy } from "../../kit/value/words.ts";
import { namesIn } from "../model-draft.ts";
import { modelQueries } from "../queries.ts";
import { TestFound } from "./test-found.tsx";

const description =
  "A server that models are asked at. Its key is encrypted, and sent to this address only.";

export const addUpstream = (): void =>
  openDialog({ title: "Add an upstream", description, body: <UpstreamForm /> });

export const changeUpstream = (upstream: Upstream): void =>
  openDialog({
    title: `Change ${upstream.name}`,
    description,
    body: <UpstreamForm upstream={upstream} />,
  });

interface Draft {
  name: string;
  kind: Upstream["kind"];
  baseUrl: string;
  key: string;
  forgetKey: boolean;
  pass: string;
}

const kinds: readonly SelectChoice<Upstream["kind"]>[] = [
  { value: "messages", label: "Messages (passed through)" },
  { value: "chat", label: "Chat completions (translated)" },
  { value: "simulator", label: "Simulator" },
];

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

function UpstreamForm({ upstream }: { upstream?: Upstream }) {
  const names = useQuery(modelQueries.upstreams).data?.data.map(({ name }) => name) ?? [];
  const form = useForm({
    start: startOf(upstream),
    save: (draft) => api.upstreams.set({ body: bodyOf(draft, upstream) }),
    // A new one must not take the place of another unseen.
    faultOf: ({ name }) =>
      upstream === undefined && names.includes(name.trim())
        ? takenBy("upstream", name.trim())
        : undefined,
    done: ({ name }) => `${name} can be asked`,
    renew: () => queryClient.invalidateQueries(),
  });
  const { values: draft, set: change } = form;
  const test = useTest(draft, upstream, (kind) => change({ kind }));
  const isRemote = draft.kind !== "simulator";
  return (
    <Form
      form={form}
      label={upstream === undefined ? "Add the upstream" : "Save"}
      isReady
      aside={
        isRemote && (
          <Button
            busy={test.isPending}
            disabled={draft.baseUrl.trim() === ""}
            onClick={() => test.mutate()}
          >
            Test this upstream
          </Button>
        )
      }
    >
      <TextField
        label="Name"
        hint={upstream === undefined ? "Small letters, digits, dots and dashes." : undefined}
        required
        readOnly={upstream !== undefined}
        autoComplete="off"
        {...form.field("name")}
      />
      {isRemote && <Address draft={draft} change={change} upstream={upstream} />}
      <SelectField label="Protocol" choices={kinds} {...form.choice("kind")} />
      {isRemote && (
        <TextField
          label="Further fields that it takes"
          hint="Passed on untouched; with commas between."
          autoComplete="off"
          {...form.field("pass")}
        />
      )}
      {test.data !== undefined && <TestFound found={test.data} />}
      {test.error !== null && <TroubleBox error={test.error} />}
    </Form>
  );
}

/** Asks the address as it is typed, before anything is saved. */
function useTest(
  { baseUrl, key }: Draft,
  upstream: Upstream | undefined,
  onKind: (kind: Upstream["kind"]) => void,
) {
  return useMutation({
    gcTime: 0,
    mutationFn: () =>
      api.upstreams.test({
        body: {
          base_url: baseUrl.trim(),
          ...(upstream !== undefined && { name: upstream.name }),
          ...(key !== "" && { key }),
        },
      }),
    onSuccess: ({ kind }) => {
      if (kind !== null) onKind(kind);
    },
  });
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
