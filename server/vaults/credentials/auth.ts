// What a credential is made of: a new one from what was sent, and an old one with what was sent laid over it.
import { invalid } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import { outsideProblem } from "../../../kernel/http/outside/fetch.ts";
import { cleanHosts } from "../../environments/module.ts";
import type { AuthOf, ChangeOf, CreateAuth, Networking, ShownAuth } from "./schema.ts";
import type { ShownOf, ShownRefresh, UpdateAuth } from "./schema.ts";
import { expectVariableName } from "./variable-names.ts";

/** What is encrypted of a credential. */
export type Secret =
  | { token: string }
  | { access_token: string; refresh_token?: string; client_secret?: string }
  | { secret_value: string };
export type OauthSecret = Extract<Secret, { access_token: string }>;

export interface Auth {
  shown: ShownAuth;
  secret: Secret;
}

type Place = Pick<World, "sections" | "clock">;

export function newAuth(place: Place, auth: CreateAuth): Auth {
  switch (auth.type) {
    case "static_bearer":
      return {
        shown: {
          type: auth.type,
          mcp_server_url: serverUrl(place, "auth.mcp_server_url", auth.mcp_server_url),
        },
        secret: { token: headerText("auth.token", auth.token) },
      };
    case "mcp_oauth":
      return newOauth(place, auth);
    default:
      return {
        shown: {
          type: auth.type,
          secret_name: expectVariableName("auth.secret_name", auth.secret_name),
          networking: networkingOf(auth.networking),
          injection_location: injectionOf({ header: true, body: false }, auth.injection_location),
        },
        secret: { secret_value: variableValue(auth.secret_value) },
      };
  }
}

function newOauth(place: Place, auth: AuthOf<"mcp_oauth">): Auth {
  const { refresh = null } = auth;
  const endpointAuth = refresh?.token_endpoint_auth;
  const clientSecret =
    endpointAuth === undefined || endpointAuth.type === "none"
      ? undefined
      : printable("auth.refresh.token_endpoint_auth.client_secret", endpointAuth.client_secret);
  const shownRefresh: ShownRefresh | null =
    refresh === null
      ? null
      : {
          client_id: printable("auth.refresh.client_id", refresh.client_id),
          token_endpoint: serverUrl(place, "auth.refresh.token_endpoint", refresh.token_endpoint),
          token_endpoint_auth: { type: refresh.token_endpoint_auth.type },
          resource: refresh.resource == null ? null : resourceOf(refresh.resource),
          scope: scopeOf(refresh.scope),
        };
  return {
    shown: {
      type: auth.type,
      mcp_server_url: serverUrl(place, "auth.mcp_server_url", auth.mcp_server_url),
      expires_at: auth.expires_at == null ? null : inFuture(place, auth.expires_at),
      refresh: shownRefresh,
    },
    secret: {
      access_token: headerText("auth.access_token", auth.access_token),
      ...(refresh !== null && {
        refresh_token: printable("auth.refresh.refresh_token", refresh.refresh_token),
      }),
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
    },
  };
}

/** What is not named stays. */
export function changedAuth(place: Place, before: Auth, change: UpdateAuth): Auth {
  const { shown } = before;
  if (change.type !== shown.type)
    throw invalid(
      `auth.type: is ${shown.type}, and stays so. Make another credential of the type ${change.type}.`,
    );
  switch (change.type) {
    case "static_bearer":
      expectSame("auth.mcp_server_url", change.mcp_server_url, shown, "mcp_server_url");
      return change.token == null
        ? before
        : { shown, secret: { token: headerText("auth.token", change.token) } };
    case "mcp_oauth":
      return changedOauth(place, before as OauthAuth, change);
    default:
      return changedVariable(before as VariableAuth, change);
  }
}

interface OauthAuth {
  shown: ShownOf<"mcp_oauth">;
  secret: OauthSecret;
}

function changedOauth(
  place: Place,
  { shown, secret }: OauthAuth,
  change: ChangeOf<"mcp_oauth">,
): Auth {
  expectSame("auth.mcp_server_url", change.mcp_server_url, shown, "mcp_server_url");
  const { access_token: token, expires_at: expires, refresh } = change;
  const renewal = refresh == null ? undefined : changedRefresh({ shown, secret }, refresh);
  return {
    shown: {
      ...shown,
      expires_at: changedExpiry(place, shown.expires_at, expires),
      refresh: renewal?.shown ?? shown.refresh,
    },
    secret: {
      ...secret,
      ...renewal?.secret,
      ...(token != null && { access_token: headerText("auth.access_token", token) }),
    },
  };
}

/** What was read can be sent back, also where its time has come since. */
function changedExpiry(
  place: Place,
  before: string | null,
  given: string | null | undefined,
): string | null {
  if (given === undefined) return before;
  if (given === null) return null;
  const isSame = before !== null && Date.parse(before) === Date.parse(given);
  return isSame ? before : inFuture(place, given);
}

function changedRefresh(
  { shown: { refresh: before }, secret }: OauthAuth,
  change: NonNullable<ChangeOf<"mcp_oauth">["refresh"]>,
): { shown: ShownRefresh; secret: Partial<OauthSecret> } {
  if (before === null)
    throw invalid(
      "auth.refresh: the credential was made without one, and gets none later. Make another credential with it.",
    );
  expectSame("auth.refresh.client_id", change.client_id, before, "client_id");
  expectSame("auth.refresh.token_endpoint", change.token_endpoint, before, "token_endpoint");
  expectSame("auth.refresh.resource", change.resource ?? undefined, before, "resource");
  const { token_endpoint_auth: way, refresh_token: token, scope } = change;
  const { type } = before.token_endpoint_auth;
  // Of the two with a secret either may be named: the secret is taken, and the kind stays.
  if (way != null && (way.type === "none") !== (type === "none"))
    throw invalid(
      `auth.refresh.token_endpoint_auth.type: is ${type}, and stays so. Make another credential.`,
    );
  const clientSecret = way == null || way.type === "none" ? null : (way.client_secret ?? null);
  return {
    shown: { ...before, scope: scope == null ? before.scope : scopeOf(scope) },
    secret: {
      ...secret,
      ...(token != null && { refresh_token: printable("auth.refresh.refresh_token", token) }),
      ...(clientSecret !== null && {
        client_secret: printable("auth.refresh.token_endpoint_auth.client_secret", clientSecret),
      }),
    },
  };
}

interface VariableAuth {
  shown: ShownOf<"environment_variable">;
  secret: Extract<Secret, { secret_value: string }>;
}

function changedVariable(
  { shown, secret }: VariableAuth,
  change: ChangeOf<"environment_variable">,
): Auth {
  expectSame("auth.secret_name", change.secret_name, shown, "secret_name");
  const { networking, injection_location: injection, secret_value: value } = change;
  return {
    shown: {
      ...shown,
      networking: networking == null ? shown.networking : networkingOf(networking),
      injection_location: injectionOf(shown.injection_location, injection),
    },
    secret: value == null ? secret : { secret_value: variableValue(value) },
  };
}

/** What never changes may be told as it is. */
function expectSame(field: string, given: string | undefined, before: object, key: string): void {
  const stored = (before as Record<string, unknown>)[key];
  if (given !== undefined && given !== stored)
    throw invalid(
      `${field}: never changes; it is ${JSON.stringify(stored)}. Leave it out, or make another credential.`,
    );
}

/** What credentials of a vault are told apart by: an address in its plain form, or the name of a variable. */
export const slotOf = (shown: ShownAuth): string =>
  shown.type === "environment_variable"
    ? `variable ${shown.secret_name}`
    : serverSlot(shown.mcp_server_url);
export const serverSlot = (url: string): string => `server ${new URL(url).href}`;

/** Rule VCR5: secrets go there, so that plain http is for addresses that the operator allows alone. */
function serverUrl(place: Place, field: string, url: string): string {
  const problem = outsideProblem(place, url);
  if (problem !== undefined) throw invalid(`${field}: ${problem.message}`);
  if (url.includes("#"))
    throw invalid(
      `${field}: must not have a part behind #, which never reaches a server: leave it out.`,
    );
  // The plain form of it may be longer, and is what the database compares.
  if (new URL(url).href.length > hrefCharactersMax)
    throw invalid(`${field}: must have at most ${hrefCharactersMax} characters in its plain form.`);
  return url;
}
/** An entry of an index of the database has 2,704 bytes at most. */
const hrefCharactersMax = 2_560;

function resourceOf(url: string): string {
  if (URL.canParse(url)) return url;
  throw invalid("auth.refresh.resource: must be an address such as https://mcp.example.com/mcp.");
}

const scopeOf = (scope: string | null | undefined): string | null =>
  scope == null || scope === "" ? null : printable("auth.refresh.scope", scope);

function inFuture({ clock }: Place, time: string): string {
  const at = new Date(time);
  if (at > clock.now()) return at.toISOString();
  throw invalid(
    "auth.expires_at: must be in the future. A token that is over cannot be used; leave it out where it is not known.",
  );
}

function networkingOf(networking: Networking): Networking {
  if (networking.type === "unrestricted") return { type: "unrestricted" };
  const { allowed_hosts: hosts } = networking;
  return {
    type: "limited",
    allowed_hosts: cleanHosts("auth.networking.allowed_hosts", hosts),
  };
}

/** What is not named stays; one of the two is true. */
function injectionOf(
  before: { header: boolean; body: boolean },
  given: { header?: boolean; body?: boolean } | null | undefined,
): { header: boolean; body: boolean } {
  const next = { header: given?.header ?? before.header, body: given?.body ?? before.body };
  if (next.header || next.body) return next;
  throw invalid(
    "auth.injection_location: header or body must be true, else the secret would go nowhere.",
  );
}

/** RFC 6750: what stands behind `Bearer` in a header. */
function headerText(field: string, text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw invalid(`${field}: must be a token without blanks, line ends and letters beyond ASCII.`);
}

function printable(field: string, text: string): string {
  if (/^[\x20-\x7e]+$/.test(text)) return text;
  throw invalid(`${field}: must be text without line ends and letters beyond ASCII.`);
}

function variableValue(text: string): string {
  // It is put into headers, which a line end would split.
  // oxlint-disable-next-line no-control-regex
  if (!/[\x00-\x1f\x7f\p{Cs}]/u.test(text)) return text;
  throw invalid(
    "auth.secret_value: must have no line ends and no other characters that control: it is put into headers of requests.",
  );
}
