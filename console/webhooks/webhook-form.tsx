// The form of a webhook endpoint: where events go, which, and what it is called.
import { AreaField, CheckField, TextField } from "../kit/form/field.tsx";
import { Form, useForm, type FormState } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { server } from "../kit/server/api.ts";
import {
  eventTypes,
  eventWords,
  forgetWebhooks,
  type Endpoint,
  type EventType,
} from "./webhooks.ts";
import { showSecret } from "./webhook-secret.tsx";

/** `onMade`: it is there, and its secret was handed over. */
export const newWebhook = (onMade: (endpoint: Endpoint) => void): void =>
  openDialog({ title: "New webhook endpoint", body: <NewForm onMade={onMade} /> });

export const editWebhook = (endpoint: Endpoint): void =>
  openDialog({ title: "Edit the webhook endpoint", body: <EditForm endpoint={endpoint} /> });

function NewForm({ onMade }: { onMade: (endpoint: Endpoint) => void }) {
  const form = useForm({
    start: valuesOf(),
    save: (body) => server.webhooks.create({ body }),
    renew: forgetWebhooks,
    next: ({ signing_secret: secret, ...made }) => showSecret(made, secret, () => onMade(made)),
  });
  return <Fields form={form} label="Create endpoint" />;
}

function EditForm({ endpoint }: { endpoint: Endpoint }) {
  const form = useForm({
    start: valuesOf(endpoint),
    save: (_, changed) =>
      server.webhooks.update({ params: { webhook_endpoint_id: endpoint.id }, body: changed }),
    done: () => "Saved",
    renew: forgetWebhooks,
  });
  return <Fields form={form} label="Save" />;
}

const valuesOf = (endpoint?: Endpoint) => ({
  url: endpoint?.url ?? "",
  name: endpoint?.name ?? "",
  description: endpoint?.description ?? "",
  enabled_events: endpoint?.enabled_events ?? eventTypes,
});

function Fields({ form, label }: { form: FormState<ReturnType<typeof valuesOf>>; label: string }) {
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
      <Events chosen={events} onChange={(chosen) => form.set({ enabled_events: chosen })} />
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
  chosen,
  onChange,
}: {
  chosen: readonly EventType[];
  onChange: (chosen: EventType[]) => void;
}) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1.5 font-medium">Events</legend>
      <p className="mb-1 text-sm text-soft">
        This server has neither external keys nor user profiles yet: of all these only test events
        are sent today.
      </p>
      {eventTypes.map((type) => (
        <CheckField
          key={type}
          label={eventWords[type]}
          hint={type}
          checked={chosen.includes(type)}
          onChange={({ target }) =>
            onChange(
              eventTypes.filter((each) => (each === type ? target.checked : chosen.includes(each))),
            )
          }
        />
      ))}
      {chosen.length === 0 && (
        <p role="alert" className="text-sm text-bad">
          Choose at least one.
        </p>
      )}
    </fieldset>
  );
}
