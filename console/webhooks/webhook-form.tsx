// The form of a webhook endpoint: where events go, which, and what it is called.
import type { ReactNode } from "react";
import { AreaField, CheckField, TextField } from "../kit/form/field.tsx";
import { Form, useForm, type FormState } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { useMe } from "../kit/server/queries.ts";
import { auditEvent, eventTypes, eventWords, type EventType } from "./event-words.ts";
import { callsOf, forgetWebhooks, type Endpoint, type Fields, type Whose } from "./webhooks.ts";
import { showSecret } from "./webhook-secret.tsx";

/** `onMade`: it is there, and its secret was handed over. */
export const newWebhook = (whose: Whose, onMade: (endpoint: Endpoint) => void): void =>
  openDialog({
    title:
      whose.of === "organization"
        ? "New webhook endpoint"
        : "New webhook endpoint of the workspace",
    body: <NewForm whose={whose} onMade={onMade} />,
  });

export const editWebhook = (whose: Whose, endpoint: Endpoint): void =>
  openDialog({
    title: "Edit the webhook endpoint",
    body: <EditForm whose={whose} endpoint={endpoint} />,
  });

function NewForm({ whose, onMade }: { whose: Whose; onMade: (endpoint: Endpoint) => void }) {
  const form = useForm({
    start: valuesOf(whose),
    save: (body) => callsOf(whose).create(body),
    renew: forgetWebhooks,
    next: ({ signing_secret: secret, ...made }) => showSecret(made, secret, () => onMade(made)),
  });
  return <FormFields whose={whose} form={form} label="Create endpoint" />;
}

function EditForm({ whose, endpoint }: { whose: Whose; endpoint: Endpoint }) {
  const form = useForm({
    start: valuesOf(whose, endpoint),
    save: (_, changed) => callsOf(whose).update(endpoint.id, changed),
    done: () => "Saved",
    renew: forgetWebhooks,
  });
  return <FormFields whose={whose} form={form} label="Save" />;
}

/** Of a workspace there are many: those for which a person is called. */
const firstEvents: EventType[] = ["session.idled", "session.requires_action"];

const valuesOf = ({ of }: Whose, endpoint?: Endpoint): Fields => ({
  url: endpoint?.url ?? "",
  name: endpoint?.name ?? "",
  description: endpoint?.description ?? "",
  enabled_events:
    endpoint?.enabled_events ??
    (of === "workspace"
      ? firstEvents
      : eventTypes.organization.filter((type) => type !== auditEvent)),
});

function FormFields({
  whose,
  form,
  label,
}: {
  whose: Whose;
  form: FormState<Fields>;
  label: string;
}) {
  const { url, enabled_events: events } = form.values;
  return (
    <Form form={form} label={label} isReady={url.trim() !== "" && events.length > 0}>
      <TextField
        label="Address"
        type="url"
        required
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://hooks.example.com/plinth"
        hint="Events are posted there. It begins with https:// and is on the public internet, unless the operator allows more."
        {...form.field("url")}
      />
      <Events
        whose={whose}
        chosen={events}
        onChange={(chosen) => form.set({ enabled_events: chosen })}
      />
      <TextField
        label="Name"
        maxLength={100}
        autoComplete="off"
        hint="What it is called here. Without one it is called by its host."
        {...form.field("name")}
      />
      <AreaField
        label="Description"
        maxLength={1000}
        rows={2}
        hint="What receives the events, and whom to ask about it."
        {...form.field("description")}
      />
    </Form>
  );
}

function Events({
  whose: { of },
  chosen,
  onChange,
}: {
  whose: Whose;
  chosen: readonly EventType[];
  onChange: (chosen: EventType[]) => void;
}) {
  const all: readonly EventType[] = eventTypes[of];
  const { permissions } = useMe();
  const mayTellOfAudit = permissions.includes("audit:read");
  const nouns = Map.groupBy(all, (type) => type.split(".")[0] ?? type);
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1.5 font-medium">Events</legend>
      <p className="mb-1 text-sm text-soft">
        {of === "organization"
          ? "This server has neither external keys nor user profiles yet: of these only test events are sent today."
          : "Of what happens in this workspace. An event holds the id of what it happened to, and nothing else of it."}
      </p>
      {[...nouns].map(([noun, types]) => (
        <Group key={noun} label={of === "workspace" ? noun : undefined}>
          {types.map((type) => (
            <CheckField
              key={type}
              label={eventWords[type]}
              hint={
                type === auditEvent
                  ? `${type}, with its number and action; only for those who may read the audit log`
                  : type
              }
              disabled={type === auditEvent && !mayTellOfAudit}
              checked={chosen.includes(type)}
              onChange={({ target }) =>
                onChange(
                  all.filter((each) => (each === type ? target.checked : chosen.includes(each))),
                )
              }
            />
          ))}
        </Group>
      ))}
      {chosen.length === 0 && (
        <p role="alert" className="text-sm text-bad">
          Choose at least one.
        </p>
      )}
    </fieldset>
  );
}

/** The events of one noun: there are many, so that they open one noun at a time. */
function Group({ label, children }: { label: string | undefined; children: ReactNode }) {
  if (label === undefined) return <>{children}</>;
  const words = label.replaceAll("_", " ");
  return (
    <details open={label === "session"} className="rounded-md border border-line px-3 py-2">
      <summary className="cursor-pointer font-medium first-letter:uppercase">{words}s</summary>
      <div className="mt-2 grid gap-1">{children}</div>
    </details>
  );
}
