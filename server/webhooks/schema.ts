// Shapes of webhook endpoints, of deliveries, and the events that there are.
import Type, { type Static } from "typebox";
import { toldFields } from "../../kernel/http/input/told-fields.ts";
import { idPage, idQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { eventTypes, workspaceEventTypes, type AnyEventType } from "./event-types.ts";
import { limits } from "./limits.ts";

const When = Type.String({ format: "date-time" });
const nullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const State = Type.Enum(["enabled", "disabled"]);

const OfOrganization = Type.Unsafe<AnyEventType>(Type.Enum([...eventTypes]));
const OfWorkspace = Type.Unsafe<AnyEventType>(Type.Enum([...workspaceEventTypes]));

const factsOf = (EventType: typeof OfOrganization) => ({
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
});
const facts = factsOf(OfOrganization);
const workspaceFacts = factsOf(OfWorkspace);
export const Endpoint = Type.Object(facts, { $id: "WebhookEndpoint" });
export type Endpoint = Static<typeof Endpoint>;
export const WorkspaceEndpoint = Type.Object(workspaceFacts, { $id: "WorkspaceWebhookEndpoint" });
const signing_secret = Type.String();
export const NewEndpoint = Type.Object({ ...facts, signing_secret }, { $id: "NewWebhookEndpoint" });
export type NewEndpoint = Static<typeof NewEndpoint>;
export const NewWorkspaceEndpoint = Type.Object(
  { ...workspaceFacts, signing_secret },
  { $id: "NewWorkspaceWebhookEndpoint" },
);
export const SigningSecret = Type.Object({ signing_secret }, { $id: "WebhookSigningSecret" });
export const DeletedEndpoint = Type.Object(
  { id: Type.String(), type: Type.Literal("webhook_endpoint_deleted") },
  { $id: "DeletedWebhookEndpoint" },
);
export const EndpointPage = idPage(Endpoint);
export const WorkspaceEndpointPage = idPage(WorkspaceEndpoint);
export const EndpointQuery = closed({
  ...idQuery,
  order: Type.Optional(Type.Enum(["asc", "desc"])),
});
export type EndpointQuery = Static<typeof EndpointQuery>;
export const EndpointParams = closed({
  webhook_endpoint_id: Type.String({ minLength: 1, maxLength: 100 }),
});

export const DeliveryParams = closed({
  webhook_endpoint_id: Type.String({ minLength: 1, maxLength: 100 }),
  webhook_delivery_id: Type.String({ minLength: 1, maxLength: 100 }),
});

const textFields = {
  description: Type.Optional(Type.String({ maxLength: limits.descriptionCharactersMax })),
  name: Type.Optional(Type.String({ maxLength: limits.nameCharactersMax })),
};
const Url = Type.String({ minLength: 1, maxLength: limits.urlCharactersMax });
const createOf = (EventType: typeof OfOrganization, types: readonly string[]) =>
  closed({
    ...textFields,
    enabled_events: Type.Array(EventType, { minItems: 1, maxItems: 10 * types.length }),
    url: Url,
  });
export const CreateEndpoint = createOf(OfOrganization, eventTypes);
export type CreateEndpoint = Static<typeof CreateEndpoint>;
export const CreateWorkspaceEndpoint = createOf(OfWorkspace, workspaceEventTypes);
const { id, created_at, updated_at } = toldFields("webhook_endpoint");
const updateOf = (EventType: typeof OfOrganization, types: readonly string[]) =>
  closed({
    ...textFields,
    /** The whole set; an empty list changes nothing. */
    enabled_events: Type.Optional(Type.Array(EventType, { maxItems: 10 * types.length })),
    state: Type.Optional(State),
    url: Type.Optional(Url),
    id,
    created_at,
    updated_at,
    disabled_reason: Type.Optional(Type.String()),
  });
export const UpdateEndpoint = updateOf(OfOrganization, eventTypes);
export type UpdateEndpoint = Static<typeof UpdateEndpoint>;
export const UpdateWorkspaceEndpoint = updateOf(OfWorkspace, workspaceEventTypes);

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
export const SendTest = closed({ event_type: Type.Optional(OfOrganization) });
export type SendTest = Static<typeof SendTest>;
export const SendWorkspaceTest = closed({ event_type: Type.Optional(OfWorkspace) });
