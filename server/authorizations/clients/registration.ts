// Dynamic client registration (RFC 7591): a program that was given no more than an address says who it is.
import { rateLimited, type Failure } from "../../../kernel/base/failure.ts";
import type { RequestContext } from "../../../kernel/context.ts";
import { json, type Reply } from "../../../kernel/http/output/reply.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { GrantRefusal, resourceScopes, tokenRefusal } from "../../tokens/module.ts";
import * as queries from "./queries.ts";
import { limits } from "../limits.ts";
import { redirectProblem, typeOf, type ApplicationType } from "./redirects.ts";
import type { RegistrationRequest } from "./schema.ts";

const grantTypes = ["authorization_code", "refresh_token"];

/** Rules AUT14 to AUT16. */
export async function register(
  context: RequestContext,
  input: RegistrationRequest,
): Promise<Reply> {
  const { db, clock, ids, address } = context;
  const redirectUris = [...new Set(input.redirect_uris)];
  const applicationType = expectMetadata(input, redirectUris);
  const at = clock.now();
  const id = ids.next(queries.registeredIds);
  const name = shownName(input.client_name);
  await db.tx(async (tx) => {
    await makeRoom(tx, context);
    await queries.insertClient(tx, { id, name, applicationType, redirectUris, address, at });
  });
  const reply = {
    client_id: id,
    client_id_issued_at: Math.floor(at.getTime() / 1000),
    client_name: name,
    application_type: applicationType,
    redirect_uris: redirectUris,
    grant_types: grantTypes,
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: resourceScopes.mcp.join(" "),
  };
  return json(reply, { "cache-control": "no-store", pragma: "no-cache" }, 201);
}

/** Rules AUT14 and AUT16: the type that it is of. */
export function expectMetadata(
  {
    application_type,
    grant_types,
    response_types,
    token_endpoint_auth_method,
  }: RegistrationRequest,
  redirectUris: readonly string[],
): ApplicationType {
  if (redirectUris.length === 0)
    throw new GrantRefusal("invalid_redirect_uri", "redirect_uris: must name one at least.");
  const type = application_type ?? typeOf(redirectUris);
  for (const uri of redirectUris) {
    const problem = redirectProblem(uri, type);
    if (problem !== undefined)
      throw new GrantRefusal(
        "invalid_redirect_uri",
        `redirect_uris: ${uri.slice(0, 200)} ${problem}.`,
      );
  }
  if (grant_types?.includes("authorization_code") === false)
    throw unfit("grant_types: must have authorization_code.");
  if (response_types?.includes("code") === false) throw unfit("response_types: must have code.");
  // A client without a word of it, or with a secret in mind, is told in the answer that it has none.
  if (!/^(none|client_secret_(basic|post))$/.test(token_endpoint_auth_method ?? "none"))
    throw unfit("token_endpoint_auth_method: must be none.");
  return type;
}

const unfit = (sentence: string) => new GrantRefusal("invalid_client_metadata", sentence);

/** Rule AUT15: one line, without characters that are not seen or that turn the writing round. */
export function shownName(text = ""): string {
  const plain = text
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, limits.clientNameCharactersMax);
  return plain === "" ? "A program without a name" : plain;
}

/** Rule AUT17: where there are too many, the one goes that no person has granted anything for the longest time. */
export async function makeRoom(tx: Tx, { clock, address }: RequestContext): Promise<void> {
  const now = clock.now();
  const { registrationsWindowMs: windowMs } = limits;
  const since = new Date(now.getTime() - windowMs);
  const { all, here, oldest } = await queries.countClients(tx, { address, since });
  const seconds = Math.max(1, ((oldest ?? now).getTime() + windowMs - now.getTime()) / 1000);
  if (here >= limits.registrationsPerAddressMax)
    throw rateLimited("Too many programs registered from this address. Wait a while.", seconds);
  if (all >= limits.clientsMax && !(await queries.deleteOldestUnused(tx)))
    throw rateLimited(
      "Too many programs are registered at this server, and all of them are in use.",
      windowMs / 1000,
    );
}

/** In the words of RFC 7591, also where the shape of the request is wrong. */
export function registrationRefusal(failure: Failure): ReturnType<typeof tokenRefusal> {
  const { headers, value } = tokenRefusal(failure);
  if (failure instanceof GrantRefusal || failure.status >= 402) return { headers, value };
  const error = failure.message.startsWith("redirect_uris")
    ? "invalid_redirect_uri"
    : "invalid_client_metadata";
  return { headers, value: { ...value, error } };
}
