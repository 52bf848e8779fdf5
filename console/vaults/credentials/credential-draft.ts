// A credential as it stands in the form, and what is sent of it. Secrets are typed, and never read.
import type {
  VaultsCredentialsCreateBody,
  VaultsCredentialsUpdateBody,
} from "../../../contract/types.ts";
import type { VaultCredential } from "../../kit/server/api.ts";

export const endpointAuths = [
  { value: "none", label: "None", hint: "A public client" },
  { value: "client_secret_basic", label: "Secret in a header", hint: "client_secret_basic" },
  { value: "client_secret_post", label: "Secret in the body", hint: "client_secret_post" },
] as const;

export function draftOf(credential?: VaultCredential) {
  const auth = credential?.auth;
  const oauth = auth?.type === "mcp_oauth" ? auth : undefined;
  const held = auth?.type === "environment_variable" ? auth : undefined;
  const limited = held?.networking.type === "limited" ? held.networking : undefined;
  return {
    type: auth?.type ?? "static_bearer",
    name: credential?.display_name ?? "",
    url: auth === undefined || auth.type === "environment_variable" ? "" : auth.mcp_server_url,
    /** A token, or the value of a variable. */
    secret: "",
    renews: oauth?.refresh != null,
    clientId: oauth?.refresh?.client_id ?? "",
    refreshToken: "",
    endpoint: oauth?.refresh?.token_endpoint ?? "",
    endpointAuth: oauth?.refresh?.token_endpoint_auth.type ?? "none",
    clientSecret: "",
    scope: oauth?.refresh?.scope ?? "",
    variable: held?.secret_name ?? "",
    networking: held?.networking.type ?? ("limited" as const),
    hosts: limited?.allowed_hosts.join("\n") ?? "",
    header: held?.injection_location.header ?? true,
    body: held?.injection_location.body ?? false,
  };
}
export type Draft = ReturnType<typeof draftOf>;

const linesOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

const networkingOf = ({ networking, hosts }: Draft) =>
  networking === "unrestricted"
    ? { type: "unrestricted" as const }
    : { type: "limited" as const, allowed_hosts: linesOf(hosts) };

const endpointAuthOf = ({ endpointAuth: type, clientSecret }: Draft) =>
  type === "none" ? { type } : { type, client_secret: clientSecret };

function authOf(draft: Draft): VaultsCredentialsCreateBody["auth"] {
  const url = draft.url.trim();
  switch (draft.type) {
    case "static_bearer":
      return { type: draft.type, token: draft.secret.trim(), mcp_server_url: url };
    case "mcp_oauth":
      return {
        type: draft.type,
        access_token: draft.secret.trim(),
        mcp_server_url: url,
        ...(draft.renews && {
          refresh: {
            client_id: draft.clientId.trim(),
            refresh_token: draft.refreshToken.trim(),
            token_endpoint: draft.endpoint.trim(),
            token_endpoint_auth: endpointAuthOf(draft),
            ...(draft.scope.trim() !== "" && { scope: draft.scope.trim() }),
          },
        }),
      };
    default:
      return {
        type: draft.type,
        secret_name: draft.variable.trim(),
        secret_value: draft.secret,
        networking: networkingOf(draft),
        injection_location: { header: draft.header, body: draft.body },
      };
  }
}

export const bodyOf = (draft: Draft): VaultsCredentialsCreateBody => ({
  auth: authOf(draft),
  ...(draft.name.trim() !== "" && { display_name: draft.name.trim() }),
});

const has = (text: string) => text !== "";

/** What was typed or differs, and nothing else: a secret that was left empty stays. */
export function changesOf(draft: Draft, changed: Partial<Draft>): VaultsCredentialsUpdateBody {
  const auth = changedAuthOf(draft, changed);
  return {
    ...(changed.name !== undefined && {
      display_name: draft.name.trim() === "" ? null : draft.name.trim(),
    }),
    ...(Object.keys(auth).length > 1 && { auth }),
  };
}

function changedAuthOf(
  draft: Draft,
  changed: Partial<Draft>,
): NonNullable<VaultsCredentialsUpdateBody["auth"]> {
  switch (draft.type) {
    case "static_bearer":
      return { type: draft.type, ...(has(draft.secret) && { token: draft.secret.trim() }) };
    case "mcp_oauth": {
      const refresh = {
        ...(has(draft.refreshToken) && { refresh_token: draft.refreshToken.trim() }),
        ...(has(draft.clientSecret) && { token_endpoint_auth: endpointAuthOf(draft) }),
        ...(changed.scope !== undefined && { scope: draft.scope.trim() }),
      };
      return {
        type: draft.type,
        // When the new one ends is not known: the old end would be that of the old one.
        ...(has(draft.secret) && { access_token: draft.secret.trim(), expires_at: null }),
        ...(Object.keys(refresh).length > 0 && { refresh }),
      };
    }
    default:
      return {
        type: draft.type,
        ...(has(draft.secret) && { secret_value: draft.secret }),
        ...((changed.networking !== undefined || changed.hosts !== undefined) && {
          networking: networkingOf(draft),
        }),
        ...((changed.header !== undefined || changed.body !== undefined) && {
          injection_location: { header: draft.header, body: draft.body },
        }),
      };
  }
}

/** Whether everything is there that the server wants of a new one. */
export function isWhole(draft: Draft): boolean {
  if (draft.secret === "") return false;
  if (draft.type === "environment_variable") return draft.variable.trim() !== "";
  if (draft.url.trim() === "") return false;
  if (draft.type === "static_bearer" || !draft.renews) return true;
  const wanted = [draft.clientId, draft.refreshToken, draft.endpoint];
  if (draft.endpointAuth !== "none") wanted.push(draft.clientSecret);
  return wanted.every((text) => text.trim() !== "");
}
