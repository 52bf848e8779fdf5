// Changing, disabling and deleting a webhook endpoint, and its new secret. Each says first what will happen.
import { CirclePause, CirclePlay, KeyRound, Pencil, Trash2 } from "lucide-react";
import { confirm, Named, type Question } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { server } from "../kit/server/api.ts";
import { editWebhook } from "./webhook-form.tsx";
import { showSecret } from "./webhook-secret.tsx";
import { forgetList, forgetWebhooks, titleOf, type Endpoint } from "./webhooks.ts";

export function webhookActs(endpoint: Endpoint, onDeleted?: () => void): MenuAct[] {
  const isOn = endpoint.state === "enabled";
  return [
    { label: "Edit", icon: Pencil, run: () => editWebhook(endpoint), button: "plain" },
    { label: "New secret", icon: KeyRound, run: () => renewSecret(endpoint) },
    { label: "Disable", icon: CirclePause, run: () => disable(endpoint), when: isOn },
    {
      label: "Enable",
      icon: CirclePlay,
      run: () => enable(endpoint),
      when: !isOn,
      button: "primary",
    },
    {
      label: "Delete",
      icon: Trash2,
      run: () => confirm({ ...deletion(endpoint), ...(onDeleted && { next: onDeleted }) }),
      isBad: true,
    },
  ];
}

const paramsOf = ({ id }: Endpoint) => ({ webhook_endpoint_id: id });

const renewSecret = (endpoint: Endpoint) =>
  confirm({
    title: "Make a new signing secret?",
    label: "Make a new secret",
    look: "primary",
    run: () => server.webhooks.regenerate_signing_secret({ params: paramsOf(endpoint) }),
    renew: forgetWebhooks,
    next: ({ signing_secret: secret }) => showSecret(endpoint, secret),
    children: (
      <p>
        <Named>{titleOf(endpoint)}</Named>: the secret it has now stops working at once, and the
        receiver refuses events until it has the new one.
      </p>
    ),
  });

const disable = (endpoint: Endpoint) =>
  confirm({
    title: "Disable this webhook endpoint?",
    label: "Disable",
    run: () => server.webhooks.update({ params: paramsOf(endpoint), body: { state: "disabled" } }),
    done: `${titleOf(endpoint)} is disabled`,
    renew: forgetWebhooks,
    children: (
      <p>
        <Named>{titleOf(endpoint)}</Named>: nothing is posted there until it is enabled again. What
        is on its way waits; events that happen meanwhile are never delivered to it.
      </p>
    ),
  });

const enable = (endpoint: Endpoint) =>
  confirm({
    title: "Enable this webhook endpoint?",
    label: "Enable",
    look: "primary",
    run: () => server.webhooks.update({ params: paramsOf(endpoint), body: { state: "enabled" } }),
    done: `${titleOf(endpoint)} is enabled`,
    renew: forgetWebhooks,
    children: (
      <p>
        <Named>{titleOf(endpoint)}</Named>: events are posted there from now on, and what was
        waiting goes out at once.
      </p>
    ),
  });

const deletion = (endpoint: Endpoint): Question => ({
  title: "Delete this webhook endpoint?",
  label: "Delete endpoint",
  run: () => server.webhooks.delete({ params: paramsOf(endpoint) }),
  done: `${titleOf(endpoint)} is deleted`,
  renew: forgetList,
  children: (
    <p>
      <Named>{titleOf(endpoint)}</Named>: nothing is posted there any more, what is on its way is
      dropped, and its last deliveries are forgotten.
    </p>
  ),
});
