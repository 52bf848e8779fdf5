// Changing, disabling and deleting a webhook endpoint, and its new secret. Each says first what will happen.
import { CirclePause, CirclePlay, KeyRound, Pencil, Trash2 } from "lucide-react";
import { confirm, Named, type Question } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { editWebhook } from "./webhook-form.tsx";
import { showSecret } from "./webhook-secret.tsx";
import {
  callsOf,
  forgetList,
  forgetWebhooks,
  titleOf,
  type Endpoint,
  type Whose,
} from "./webhooks.ts";

export function webhookActs(whose: Whose, endpoint: Endpoint, onDeleted?: () => void): MenuAct[] {
  const isOn = endpoint.state === "enabled";
  return [
    { label: "Edit", icon: Pencil, run: () => editWebhook(whose, endpoint), button: "plain" },
    { label: "New secret", icon: KeyRound, run: () => renewSecret(whose, endpoint) },
    { label: "Disable", icon: CirclePause, run: () => disable(whose, endpoint), when: isOn },
    {
      label: "Enable",
      icon: CirclePlay,
      run: () => enable(whose, endpoint),
      when: !isOn,
      button: "primary",
    },
    {
      label: "Delete",
      icon: Trash2,
      run: () => confirm({ ...deletion(whose, endpoint), ...(onDeleted && { next: onDeleted }) }),
      isBad: true,
    },
  ];
}

const renewSecret = (whose: Whose, endpoint: Endpoint) =>
  confirm({
    title: "Make a new signing secret?",
    label: "Make a new secret",
    look: "primary",
    run: () => callsOf(whose).renewSecret(endpoint.id),
    renew: forgetWebhooks,
    next: ({ signing_secret: secret }) => showSecret(endpoint, secret),
    children: (
      <p>
        <Named>{titleOf(endpoint)}</Named>: for a day each event is signed with the secret it has
        now as well, so that the receiver can take the new one in between. Where the old one has
        leaked, make a new one twice.
      </p>
    ),
  });

const disable = (whose: Whose, endpoint: Endpoint) =>
  confirm({
    title: "Disable this webhook endpoint?",
    label: "Disable",
    run: () => callsOf(whose).update(endpoint.id, { state: "disabled" }),
    done: `${titleOf(endpoint)} is disabled`,
    renew: forgetWebhooks,
    children: (
      <p>
        <Named>{titleOf(endpoint)}</Named>: nothing is posted there until it is enabled again. What
        is on its way waits; events that happen meanwhile are never delivered to it.
      </p>
    ),
  });

const enable = (whose: Whose, endpoint: Endpoint) =>
  confirm({
    title: "Enable this webhook endpoint?",
    label: "Enable",
    look: "primary",
    run: () => callsOf(whose).update(endpoint.id, { state: "enabled" }),
    done: `${titleOf(endpoint)} is enabled`,
    renew: forgetWebhooks,
    children: (
      <p>
        <Named>{titleOf(endpoint)}</Named>: events are posted there from now on, and what was
        waiting goes out at once.
      </p>
    ),
  });

const deletion = (whose: Whose, endpoint: Endpoint): Question => ({
  title: "Delete this webhook endpoint?",
  label: "Delete endpoint",
  run: () => callsOf(whose).remove(endpoint.id),
  done: `${titleOf(endpoint)} is deleted`,
  renew: () => forgetList(whose),
  children: (
    <p>
      <Named>{titleOf(endpoint)}</Named>: nothing is posted there any more, what is on its way is
      dropped, and its last deliveries are forgotten.
    </p>
  ),
});
