// `plinth whoami`: what each credential is that commands use, whose, and what it may do.
import type { Credential } from "../../contract/types.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable } from "../print-result.ts";
import { clientOf, keyOf, withServerErrors } from "../server-calls.ts";
import type { Terminal } from "../terminal.ts";

export interface WhoFlags {
  url?: string;
  profile?: string;
  json?: boolean;
}

const keyNames = ["PLINTH_ADMIN_KEY", "PLINTH_API_KEY", "PLINTH_ENVIRONMENT_KEY"] as const;

/** Each key that is set; without one, or where a profile is named, the person who is signed in. */
export async function whoami(terminal: Terminal, flags: WhoFlags): Promise<void> {
  const { url, profile, json } = flags;
  const named = profile === undefined ? keyNames : [];
  const keys = named.filter((name) => keyOf(terminal, [name]) !== undefined);
  const env: Record<string, string | undefined> = {
    ...terminal.env,
    ...(profile !== undefined && { PLINTH_PROFILE: profile }),
  };
  if (keys.length === 0) for (const name of keyNames) delete env[name];
  const told: string[] = [];
  for (const name of keys.length > 0 ? keys : keyNames.slice(0, 1)) {
    const client = clientOf({ ...terminal, env }, url, [name]);
    const found = await withServerErrors(client, () => client.credential.retrieve());
    const from = keys.length > 0 ? name : "plinth login";
    told.push(json === true ? `${JSON.stringify(found)}\n` : credentialDetails(found, from));
  }
  terminal.write(told.join(json === true ? "" : "\n"));
}

function credentialDetails(found: Credential, from: string): string {
  const { organization, workspace, user } = found;
  const facts: (readonly [string, string] | undefined)[] = [
    ["from", from],
    ["kind", kindOf(found)],
    ["id", found.id],
    ["name", user?.name ?? found.name],
    user === null ? undefined : ["e-mail", user.email],
    ["organization", `${organization.name}  ${organization.id}`],
    ["type", organization.type],
    workspace === null ? undefined : ["workspace", `${workspace.name}  ${workspace.id}`],
    found.environment_id === null ? undefined : ["environment", found.environment_id],
    found.session_id === null ? undefined : ["session", found.session_id],
    found.scopes.length === 0 ? undefined : ["scopes", found.scopes.join(" ")],
    ...permissionLines(found.permissions),
  ];
  return detailsTable(
    facts
      .filter((fact) => fact !== undefined)
      .map(([name, value]) => [name, escapeControls(value)] as const),
  );
}

function kindOf({ kind, service_account_id: account }: Credential): string {
  if (kind === "oauth_token" && account !== null) return "access token of a service account";
  return kindWords[kind];
}

const kindWords: Record<Credential["kind"], string> = {
  api_key: "API key of a workspace",
  admin_key: "admin key",
  oauth_token: "access token of a person",
  environment_key: "key of an environment",
  session_token: "token of a worker",
};

/** `members: read, write`, a line for each noun. */
function permissionLines(permissions: readonly string[]): (readonly [string, string])[] {
  const acts = new Map<string, string[]>();
  for (const permission of permissions) {
    const [noun = "", act = ""] = permission.split(":");
    acts.set(noun, [...(acts.get(noun) ?? []), act]);
  }
  return [...acts].map(([noun, verbs], index) => [
    index === 0 ? "permissions" : "",
    `${noun}: ${verbs.join(", ")}`,
  ]);
}
