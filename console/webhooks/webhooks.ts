// Webhooks: what the pages read, and words for events and for how deliveries went.
import { queryOptions } from "@tanstack/react-query";
import type * as contract from "../../contract/types.ts";
import type { Tone } from "../kit/value/badge.tsx";
import { api, server } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import type { EventType } from "./event-words.ts";

export interface Endpoint extends Omit<contract.WebhookEndpoint, "enabled_events"> {
  enabled_events: EventType[];
}
export type Delivery = contract.WebhookDelivery;

/** Whose the endpoints are: the organization's own, or a workspace's. */
export type Whose = { of: "organization" } | { of: "workspace"; workspace: string | undefined };

/** As many as each of them may have. */
export const endpointsMax = 32;
const lookEveryMs = 5_000;
/** While somebody waits for the outcome of a delivery. */
const lookOftenMs = 500;

export type Fields = Pick<Endpoint, "url" | "name" | "description" | "enabled_events">;
type Change = Partial<Fields> & { state?: Endpoint["state"] };
interface Calls {
  list: () => Promise<{ data: Endpoint[] }>;
  create: (body: Fields) => Promise<Endpoint & { signing_secret: string }>;
  retrieve: (id: string) => Promise<Endpoint>;
  update: (id: string, body: Change) => Promise<Endpoint>;
  remove: (id: string) => Promise<unknown>;
  renewSecret: (id: string) => Promise<{ signing_secret: string }>;
  test: (id: string, type: EventType | undefined) => Promise<Delivery>;
  deliveries: (id: string) => Promise<{ data: Delivery[] }>;
  replay: (id: string, delivery: string) => Promise<Delivery>;
}

const named = (id: string) => ({ params: { webhook_endpoint_id: id } });
const query = { limit: endpointsMax };

const ofOrganization: Calls = {
  list: () => server.webhooks.list({ query }),
  create: (body) => server.webhooks.create({ body: body as contract.WebhooksCreateBody }),
  retrieve: (id) => server.webhooks.retrieve(named(id)),
  update: (id, body) =>
    server.webhooks.update({ ...named(id), body: body as contract.WebhooksUpdateBody }),
  remove: (id) => server.webhooks.delete(named(id)),
  renewSecret: (id) => server.webhooks.regenerate_signing_secret(named(id)),
  test: (id, type) =>
    api.webhooks.test({
      ...named(id),
      body: (type ? { event_type: type } : {}) as contract.ConsoleWebhooksTestBody,
    }),
  deliveries: (id) => api.webhooks.deliveries(named(id)),
  replay: (id, delivery) =>
    api.webhooks.replay({
      params: { webhook_endpoint_id: id, webhook_delivery_id: delivery },
    }),
};

function ofWorkspace(workspace: string | undefined): Calls {
  const { workspace_webhooks: hooks } = server;
  const headers = inWorkspace(workspace);
  const one = (id: string) => ({ ...named(id), headers });
  return {
    list: () => hooks.list({ query, headers }),
    create: (body) => hooks.create({ body: body as contract.WorkspaceWebhooksCreateBody, headers }),
    retrieve: (id) => hooks.retrieve(one(id)),
    update: (id, body) =>
      hooks.update({ ...one(id), body: body as contract.WorkspaceWebhooksUpdateBody }),
    remove: (id) => hooks.delete(one(id)),
    renewSecret: (id) => hooks.rotate_secret(one(id)),
    test: (id, type) =>
      hooks.test({
        ...one(id),
        body: (type ? { event_type: type } : {}) as contract.WorkspaceWebhooksTestBody,
      }),
    deliveries: (id) => hooks.deliveries(one(id)),
    replay: (id, delivery) =>
      hooks.replay({
        params: { webhook_endpoint_id: id, webhook_delivery_id: delivery },
        headers,
      }),
  };
}

export const callsOf = (whose: Whose): Calls =>
  whose.of === "organization" ? ofOrganization : ofWorkspace(whose.workspace);

const keyOf = (whose: Whose) => ["webhooks", whose.of, whose.of === "workspace" && whose.workspace];

export const webhookQueries = {
  list: (whose: Whose) =>
    queryOptions({ queryKey: [...keyOf(whose), "list"], queryFn: callsOf(whose).list }),
  one: (whose: Whose, id: string) =>
    queryOptions({
      queryKey: [...keyOf(whose), "one", id],
      queryFn: () => callsOf(whose).retrieve(id),
      // The server may disable it while somebody looks.
      refetchInterval: lookEveryMs,
    }),
  deliveries: (whose: Whose, id: string) =>
    queryOptions({
      queryKey: [...keyOf(whose), "deliveries", id],
      queryFn: () => callsOf(whose).deliveries(id),
      refetchInterval: ({ state }) =>
        state.data?.data.some((each) => each.state === "waiting" && each.attempts === 0)
          ? lookOftenMs
          : lookEveryMs,
    }),
};

export const forgetWebhooks = (): void =>
  void queryClient.invalidateQueries({ queryKey: ["webhooks"] });

/** The page of one that is gone must not ask for it again. */
export const forgetList = (whose: Whose): void =>
  void queryClient.invalidateQueries({ queryKey: webhookQueries.list(whose).queryKey });

/** An endpoint without a name is called by its host. */
export const titleOf = ({ name, url }: Pick<Endpoint, "name" | "url">): string =>
  name === "" ? new URL(url).host : name;

export function outcomeOf(delivery: Delivery): { label: string; tone: Tone } {
  const { state, attempts, next_attempt_at: next } = delivery;
  if (state === "delivered") return { label: "Delivered", tone: "good" };
  if (state === "failed") return { label: "Failed", tone: "bad" };
  if (attempts === 0) return { label: "On its way", tone: "accent" };
  return next === null
    ? { label: "Stands still", tone: "neutral" }
    : { label: "To be tried again", tone: "warn" };
}

/** What came of the last attempt; undefined before the first. */
export function answerOf({ attempts, status_code: status, error }: Delivery): string | undefined {
  if (attempts === 0) return undefined;
  return error === null ? `Answered with the status ${status}.` : `The address ${error}`;
}
