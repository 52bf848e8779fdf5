// Webhooks: what the pages read, and words for events and for how deliveries went.
import { queryOptions } from "@tanstack/react-query";
import type * as contract from "../../contract/types.ts";
import type { Tone } from "../kit/value/badge.tsx";
import { api, server } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";

export type Endpoint = contract.WebhookEndpoint;

export type EventType = Endpoint["enabled_events"][number];
export type Delivery = contract.WebhookDelivery;

/** As many as an organization may have. */
export const endpointsMax = 32;
const lookEveryMs = 5_000;
/** While somebody waits for the outcome of a delivery. */
const lookOftenMs = 500;

export const webhookQueries = {
  list: queryOptions({
    queryKey: ["webhooks", "list"],
    queryFn: () => server.webhooks.list({ query: { limit: endpointsMax } }),
  }),
  one: (id: string) =>
    queryOptions({
      queryKey: ["webhooks", "one", id],
      queryFn: () => server.webhooks.retrieve({ params: { webhook_endpoint_id: id } }),
      // The server may disable it while somebody looks.
      refetchInterval: lookEveryMs,
    }),
  deliveries: (id: string) =>
    queryOptions({
      queryKey: ["webhooks", "deliveries", id],
      queryFn: () => api.webhooks.deliveries({ params: { webhook_endpoint_id: id } }),
      refetchInterval: ({ state }) =>
        state.data?.data.some((each) => each.state === "waiting" && each.attempts === 0)
          ? lookOftenMs
          : lookEveryMs,
    }),
};

export const forgetWebhooks = (): void =>
  void queryClient.invalidateQueries({ queryKey: ["webhooks"] });

/** The page of one that is gone must not ask for it again. */
export const forgetList = (): void =>
  void queryClient.invalidateQueries({ queryKey: webhookQueries.list.queryKey });

/** An endpoint without a name is called by its host. */
export const titleOf = ({ name, url }: Pick<Endpoint, "name" | "url">): string =>
  name === "" ? new URL(url).host : name;

export const eventWords: Record<EventType, string> = {
  "external_key.failed": "An external key stopped working",
  "external_key.recovered": "An external key works again",
  "user_profile.enforcement_action_opened": "An enforcement action on a user profile was opened",
  "user_profile.enforcement_action_resolved":
    "An enforcement action on a user profile was resolved",
  "user_profile.program_status_updated": "The program status of a user profile changed",
};
export const eventTypes = Object.keys(eventWords) as EventType[];

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
