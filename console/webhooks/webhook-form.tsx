// The form of a webhook endpoint: where events go, which, and what it is called.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { server } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import {
  eventTypes,
  eventWords,
  forgetWebhooks,
  type Endpoint,
  type EventType,
  type NewEndpoint,
} from "./webhooks.ts";
import { Button } from "../kit/page/button.tsx";
import { DialogActions } from "../kit/form/dialog.tsx";
import { AreaField, CheckField, TextField } from "../kit/form/field.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

/** The secret is there when it was made just now. */
export interface Saved {
  endpoint: Endpoint;
  secret?: string;
}

async function keep(endpoint: Endpoint | undefined, body: NewEndpoint): Promise<Saved> {
  if (endpoint !== undefined) {
    const params = { webhook_endpoint_id: endpoint.id };
    return { endpoint: await server.webhooks.update({ params, body }) };
  }
  const { signing_secret: secret, ...made } = await server.webhooks.create({ body });
  return { endpoint: made, secret };
}

export function WebhookForm({
  endpoint,
  onSaved,
  onCancel,
}: {
  endpoint?: Endpoint;
  onSaved: (saved: Saved) => void;
  onCancel: () => void;
}) {
  const [url, setUrl] = useState(endpoint?.url ?? "");
  const [name, setName] = useState(endpoint?.name ?? "");
  const [description, setDescription] = useState(endpoint?.description ?? "");
  const [events, setEvents] = useState<readonly EventType[]>(
    endpoint?.enabled_events ?? eventTypes,
  );
  const save = useAct({
    mutationFn: () =>
      keep(endpoint, { url: url.trim(), name, description, enabled_events: [...events] }),
    gcTime: 0,
    onSuccess: (saved) => {
      forgetWebhooks();
      onSaved(saved);
    },
  });
  const [badUrl, badName] = [fieldError(save.error, "url"), fieldError(save.error, "name")];
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Address value={url} error={badUrl} onChange={setUrl} />
      <Events chosen={events} onChange={setEvents} />
      <TextField
        label="Name"
        value={name}
        maxLength={100}
        autoComplete="off"
        hint="What it is called here. Without one it is called by its host."
        error={badName}
        onChange={({ target }) => setName(target.value)}
      />
      <AreaField
        label="Description"
        value={description}
        maxLength={1000}
        rows={2}
        hint="What receives the events, and whom to ask about it."
        onChange={({ target }) => setDescription(target.value)}
      />
      {save.error !== null && badUrl === undefined && badName === undefined && (
        <TroubleBox error={save.error} />
      )}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          busy={save.isPending}
          disabled={url.trim() === "" || events.length === 0}
        >
          {endpoint === undefined ? "Create endpoint" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}

function Address({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <TextField
      label="Address"
      type="url"
      value={value}
      required
      maxLength={2000}
      autoComplete="off"
      spellCheck={false}
      placeholder="https://hooks.example.com/plinth"
      hint="Events are posted there. It begins with https:// and is on the public internet, unless the operator allows more."
      error={error}
      onChange={({ target }) => onChange(target.value)}
    />
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
