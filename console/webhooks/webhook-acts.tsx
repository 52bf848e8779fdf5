// Making, changing, disabling and deleting a webhook endpoint, and its new secret. Each says first what will happen.
import { useState } from "react";
import { useAct } from "../kit/form/act.ts";
import { server } from "../kit/server/api.ts";
import { useLast } from "../kit/form/last.ts";
import { forgetList, forgetWebhooks, titleOf, type Endpoint } from "./webhooks.ts";
import { Button, type ButtonLook } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { WebhookForm, type Saved } from "./webhook-form.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

type Asked = "secret" | "disable" | "enable" | "delete";
type Question = { kind: Asked; endpoint: Endpoint };
export type WebhookAct = { kind: "new" } | { kind: "edit"; endpoint: Endpoint } | Question;

const titles: Record<WebhookAct["kind"], string> = {
  new: "New webhook endpoint",
  edit: "Edit the webhook endpoint",
  secret: "Make a new signing secret?",
  disable: "Disable this webhook endpoint?",
  enable: "Enable this webhook endpoint?",
  delete: "Delete this webhook endpoint?",
};

interface Props {
  act: WebhookAct | undefined;
  onClose: () => void;
  /** A new one is there, and its secret was handed over. */
  onMade?: (endpoint: Endpoint) => void;
  onDeleted?: () => void;
}

export function WebhookActs({ act, onClose, onMade, onDeleted }: Props) {
  const [saved, setSaved] = useState<Saved>();
  const shown = useLast(act);
  const secret = saved?.secret;
  function close(): void {
    const made = act?.kind === "new" ? saved?.endpoint : undefined;
    setSaved(undefined);
    onClose();
    if (made !== undefined) onMade?.(made);
  }
  function done(result: Saved): void {
    if (result.secret !== undefined) return setSaved(result);
    say.good("Saved");
    close();
  }
  const question = shown?.kind === "new" || shown?.kind === "edit" ? undefined : shown;
  return (
    <Dialog
      open={act !== undefined}
      onClose={close}
      title={
        saved === undefined
          ? titles[shown?.kind ?? "new"]
          : `The signing secret of ${titleOf(saved.endpoint)}`
      }
      locked={secret !== undefined}
      wide={secret !== undefined}
    >
      {saved !== undefined && secret !== undefined && (
        <WebhookSecret title={titleOf(saved.endpoint)} secret={secret} onDone={close} />
      )}
      {secret === undefined && act?.kind === "new" && (
        <WebhookForm onSaved={done} onCancel={close} />
      )}
      {act?.kind === "edit" && (
        <WebhookForm
          key={act.endpoint.id}
          endpoint={act.endpoint}
          onSaved={done}
          onCancel={close}
        />
      )}
      {secret === undefined && question !== undefined && (
        <Ask
          key={question.endpoint.id + question.kind}
          question={question}
          onClose={close}
          onSecret={setSaved}
          {...(onDeleted && { onDeleted })}
        />
      )}
    </Dialog>
  );
}

const questions: Record<Asked, { text: string; label: string; look: ButtonLook }> = {
  secret: {
    text: "the secret it has now stops working at once, and the receiver refuses events until it has the new one.",
    label: "Make a new secret",
    look: "primary",
  },
  disable: {
    text: "nothing is posted there until it is enabled again. What is on its way waits; events that happen meanwhile are never delivered to it.",
    label: "Disable",
    look: "danger",
  },
  enable: {
    text: "events are posted there from now on, and what was waiting goes out at once.",
    label: "Enable",
    look: "primary",
  },
  delete: {
    text: "nothing is posted there any more, what is on its way is dropped, and its last deliveries are forgotten.",
    label: "Delete endpoint",
    look: "danger",
  },
};
const told: Record<Asked, string> = {
  secret: "",
  disable: "is disabled",
  enable: "is enabled",
  delete: "is deleted",
};

function Ask({
  question: { kind, endpoint },
  onClose,
  onSecret,
  onDeleted,
}: {
  question: Question;
  onClose: () => void;
  onSecret: (saved: Saved) => void;
  onDeleted?: () => void;
}) {
  const { text, label, look } = questions[kind];
  const params = { webhook_endpoint_id: endpoint.id };
  const run = useAct({
    mutationFn: async (): Promise<string | undefined> => {
      if (kind === "secret")
        return (await server.webhooks.regenerate_signing_secret({ params })).signing_secret;
      if (kind === "delete") await server.webhooks.delete({ params });
      else await server.webhooks.update({ params, body: { state: `${kind}d` } });
      return undefined;
    },
    gcTime: 0,
    onSuccess: (secret) => {
      if (secret !== undefined) {
        forgetWebhooks();
        return onSecret({ endpoint, secret });
      }
      say.good(`${titleOf(endpoint)} ${told[kind]}`);
      onClose();
      if (kind !== "delete") return forgetWebhooks();
      onDeleted?.();
      forgetList();
    },
  });
  return (
    <div className="grid gap-4">
      <p>
        <strong className="font-semibold wrap-anywhere">{titleOf(endpoint)}</strong>: {text}
      </p>
      {run.error !== null && <TroubleBox error={run.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look={look} busy={run.isPending} onClick={() => run.mutate()}>
          {label}
        </Button>
      </DialogActions>
    </div>
  );
}
