// Shapes of webhook endpoints, of deliveries, and the events that there are.
import Type, { type Static } from "typebox";
import { idPage, idQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";

/** Events of the organization itself. */
export const eventTypes = [
  "external_key.failed",
  "external_key.recovered",
  "user_profile.enforcement_action_opened",
  "user_profile.enforcement_action_resolved",
  "user_profile.program_status_updated",
] as const;
export const EventType = Type.Enum([...eventTypes]);
export type EventType = (typeof eventTypes)[number];

const When = Type.String({ format: "date-time" });
const nullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const State = Type.Enum(["enabled", "disabled"]);

const facts = {
  id: Type.String(),
  created_at: When,
  description: Type.String(),
  /** Why the server disabled it by itself; empty otherwise. */
  disabled_reason: Type.String(),
  enabled_events: Type.Array(EventType),
  name: Type.String(),
  state: State,
  updated_at: When,
  url: Type.String(),
};
export const Endpoint = Type.Object(facts, { $id: "WebhookEndpoint" });
export type Endpoint = Static<typeof Endpoint>;
const signing_secret = Type.String();
export const NewEndpoint = Type.Object({ ...facts, signing_secret }, { $id: "NewWebhookEndpoint" });
export type NewEndpoint = Static<typeof NewEndpoint>;
export const SigningSecret = Type.Object({ signing_secret }, { $id: "WebhookSigningSecret" });
export const DeletedEndpoint = Type.Object(
  { id: Type.String(), type: Type.Literal("webhook_endpoint_deleted") },
  { $id: "DeletedWebhookEndpoint" },
);
export const EndpointPage = idPage(Endpoint);
export const EndpointQuery = closed({
  ...idQuery,
  order: Type.Optional(Type.Enum(["asc", "desc"])),
});
export type EndpointQuery = Static<typeof EndpointQuery>;
export const EndpointParams = closed({
  webhook_endpoint_id: Type.String({ minLength: 1, maxLength: 100 }),
});

const textFields = {
  description: Type.Optional(Type.String({ maxLength: limits.descriptionCharactersMax })),
  name: Type.Optional(Type.String({ maxLength: limits.nameCharactersMax })),
};
const Url = Type.String({ minLength: 1, maxLength: limits.urlCharactersMax });
const repeatedMax = 10 * eventTypes.length;
export const CreateEndpoint = closed({
  ...textFields,
  enabled_events: Type.Array(EventType, { minItems: 1, maxItems: repeatedMax }),
  url: Url,
});
export type CreateEndpoint = Static<typeof CreateEndpoint>;
export const UpdateEndpoint = closed({
  ...textFields,
  /** The whole set; an empty list changes nothing. */
  enabled_events: Type.Optional(Type.Array(EventType, { maxItems: repeatedMax })),
  state: Type.Optional(State),
  url: Type.Optional(Url),
});
export type UpdateEndpoint = Static<typeof UpdateEndpoint>;

export const Delivery = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("webhook_delivery"),
    /** What the header webhook-id says, at every attempt. */
    event_id: Type.String(),
    event_type: Type.String(),
    is_test: Type.Boolean(),
    state: Type.Enum(["waiting", "delivered", "failed"]),
    attempts: Type.Integer(),
    created_at: When,
    attempted_at: nullable(When),
    next_attempt_at: nullable(When),
    /** What the last attempt was answered with, where there was an answer. */
    status_code: nullable(Type.Integer()),
    error: nullable(Type.String()),
  },
  { $id: "WebhookDelivery" },
);
export type Delivery = Static<typeof Delivery>;
export const Deliveries = Type.Object({ data: Type.Array(Delivery) });
export const SendTest = closed({ event_type: Type.Optional(EventType) });
export type SendTest = Static<typeof SendTest>;
