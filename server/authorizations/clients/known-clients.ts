// The programs that may ask: the one of this server, and those that registered themselves.
import type { RequestContext } from "../../../kernel/context.ts";
import { GrantRefusal, type TokenResource } from "../../tokens/module.ts";
import { clientOfDocument, isDocument } from "./documents.ts";
import { findClientRow, registeredIds } from "./queries.ts";
import { fitsOneOf } from "./redirects.ts";

export interface Client {
  id: string;
  name: string;
  /** The name is this server's word for it, not that of a stranger. */
  isOwn: boolean;
  /** What its tokens are for where a request does not say so; null is the API. */
  resource: TokenResource | null;
  mayGoBackTo(uri: string): boolean;
}

/** They have no secrets. */
const own: Readonly<Record<string, { name: string }>> = {
  "plinth-cli": { name: "The plinth command line" },
};

const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost):\d{1,5}\/callback$/;

export function ownClient(id: string): Client | undefined {
  const client = Object.hasOwn(own, id) ? own[id] : undefined;
  if (client === undefined) return undefined;
  return {
    id,
    name: client.name,
    isOwn: true,
    resource: null,
    mayGoBackTo: (uri) => loopback.test(uri) && URL.canParse(uri),
  };
}

/** For a signed-in person, who is asked by the client: only then is an address of a stranger read. */
export async function clientOrThrow(context: RequestContext, id: string): Promise<Client> {
  const client = ownClient(id);
  if (client !== undefined) return client;
  const row = isDocument(id)
    ? await clientOfDocument(context, id)
    : await findClientRow(context.db, id);
  if (row === undefined) throw unknownClient(id);
  return {
    id,
    name: row.name,
    isOwn: false,
    resource: "mcp",
    mayGoBackTo: (uri) => fitsOneOf(row.redirect_uris, uri),
  };
}

/** It has the id of one that registered itself, and there is none. */
export const isForgotten = async ({ db }: RequestContext, id: string): Promise<boolean> =>
  id.startsWith(registeredIds) && (await findClientRow(db, id)) === undefined;

export const unknownClient = (id: string) =>
  new GrantRefusal(
    "invalid_client",
    `client_id: there is no client ${JSON.stringify(id)}. A program that registered itself, and that no person granted anything for a month, has to register again.`,
  );
