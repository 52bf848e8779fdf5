// Whose endpoints a command is about: the workspace's of the key, or the organization's own.
import type { Client } from "../../contract/client.ts";
import type { WebhookEndpoint, WorkspaceWebhookEndpoint } from "../../contract/types.ts";
import { askAsAdmin } from "../administration.ts";
import type { Terminal } from "../terminal.ts";
import { askWithApiKey } from "../workspace-calls.ts";
import type { WhoseFlags } from "./options.ts";

export type Endpoint = WebhookEndpoint | WorkspaceWebhookEndpoint;

export const paramsOf = (id: string) => ({ webhook_endpoint_id: id });

/** As many as each may have. */
const limit = 32;

/** The fields that were typed: the server checks them, and explains errors in a sentence. */
type Fields = Record<string, unknown>;

interface Calls {
  list(): Promise<{ data: Endpoint[] }>;
  show(id: string): Promise<Endpoint>;
  create(fields: Fields): Promise<Endpoint & { signing_secret: string }>;
  update(id: string, fields: Fields): Promise<Endpoint>;
  remove(id: string): Promise<unknown>;
  renew(id: string): Promise<{ signing_secret: string }>;
}

/** The body that a route wants, of fields that are not checked here. */
type BodyOf<Call extends (input: never) => unknown> = Parameters<Call>[0] extends {
  body: infer Body;
}
  ? Body
  : never;

const ofOrganization = ({ webhooks }: Client): Calls => ({
  list: () => webhooks.list({ query: { limit } }),
  show: (id) => webhooks.retrieve({ params: paramsOf(id) }),
  create: (fields) => webhooks.create({ body: fields as BodyOf<typeof webhooks.create> }),
  update: (id, fields) => webhooks.update({ params: paramsOf(id), body: fields }),
  remove: (id) => webhooks.delete({ params: paramsOf(id) }),
  renew: (id) => webhooks.regenerate_signing_secret({ params: paramsOf(id) }),
});

const ofWorkspace = ({ workspace_webhooks: webhooks }: Client): Calls => ({
  list: () => webhooks.list({ query: { limit } }),
  show: (id) => webhooks.retrieve({ params: paramsOf(id) }),
  create: (fields) => webhooks.create({ body: fields as BodyOf<typeof webhooks.create> }),
  update: (id, fields) => webhooks.update({ params: paramsOf(id), body: fields }),
  remove: (id) => webhooks.delete({ params: paramsOf(id) }),
  renew: (id) => webhooks.rotate_secret({ params: paramsOf(id) }),
});

/** With --organization by an admin key. */
export const askOfEndpoints = <T>(
  terminal: Terminal,
  flags: WhoseFlags,
  question: (calls: Calls) => Promise<T>,
): Promise<T> =>
  flags.organization === true
    ? askAsAdmin(terminal, flags, (client) => question(ofOrganization(client)))
    : askWithApiKey(terminal, flags, (client) => question(ofWorkspace(client)));
