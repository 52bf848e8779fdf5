// What the operator does at the machine's own terminal: the first organization, more of them, set-up links.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ExitError } from "../kernel/base/failure.ts";
import type { OrganizationType, World } from "../kernel/context.ts";
import * as audit from "./audit/module.ts";
import * as identity from "./identity/module.ts";
import * as keys from "./keys/module.ts";
import * as organizations from "./organizations/module.ts";
import * as tokens from "./tokens/module.ts";

/** The access token of `init` is for the next hours of work; longer-lived ones come from signing in. */
const accessTokenMs = 8 * 60 * 60 * 1000;

export interface InitOptions {
  organization: string;
  type: OrganizationType;
  email: string;
}

/** An organization with its default workspace, an owner, and one secret of each kind: shown this once. */
export async function initialize(world: World, { organization, type, email }: InitOptions) {
  const password = world.random.bytes(18).toString("base64url");
  const passwordHash = await world.passwords.hash(password, world.random);
  return world.db.tx(async (tx) => {
    const { id, workspaceId } = await organizations.createOrganization(tx, world, audit.operator, {
      name: organization,
      type,
    });
    const owner = await identity.createUser(tx, world, () => audit.operator, id, {
      email,
      name: email.slice(0, email.indexOf("@")),
      role: "primary_owner",
      passwordHash,
    });
    const issue = (kind: keys.IssueKey["kind"], name: string, more: Partial<keys.IssueKey> = {}) =>
      keys.issueKey(tx, world, audit.operator, {
        organizationId: id,
        kind,
        name,
        createdBy: owner,
        ...more,
      });
    const scopes = type === "enterprise" ? keys.enterpriseScopes : [];
    const apiKey = await issue("api", "First API key");
    const adminKey = await issue("admin", "First admin key", { scopes });
    const accessToken = await tokens.issueToken(tx, world, {
      organizationId: id,
      for: { userId: owner },
      scopes: ["org:admin"],
      workspaceId: null,
      lifetimeMs: accessTokenMs,
    });
    const setupUrl = await identity.createSetupLink(tx, world, audit.operator, id, owner);
    return {
      organization_id: id,
      organization_type: type,
      workspace_id: workspaceId,
      owner_email: email,
      owner_password: password,
      api_key: apiKey.secret,
      admin_api_key: adminKey.secret,
      oauth_access_token: accessToken.secret,
      setup_url: setupUrl,
    };
  });
}

const firstKeyFile = (dataDirectory: string) => join(dataDirectory, "first-key");

/**
 * An empty installation gets its first organization and, for the first request, an API key of its
 * default workspace. The key goes to a file that only its owner may read, beside the master key: what
 * is printed ends up in logs.
 */
export async function prepareFirstStart(world: World, dataDirectory: string): Promise<void> {
  if ((await organizations.countOrganizations(world.db)) > 0) return;
  await world.db.tx(async (tx) => {
    const { id } = await organizations.createOrganization(tx, world, audit.operator, {
      name: "First organization",
      type: "platform",
    });
    const { secret } = await keys.issueKey(tx, world, audit.operator, {
      organizationId: id,
      kind: "api",
      name: "Key of the first start",
      createdBy: null,
    });
    // Before the commit: a start that is killed here begins anew, and writes over it.
    writeFileSync(firstKeyFile(dataDirectory), secret, { mode: 0o600 });
  });
}

/** A fresh link for an organization without an owner, or undefined when all have one. */
export async function unclaimedSetupLink(world: World): Promise<string | undefined> {
  const [unclaimed] = await identity.listUnclaimed(world.db);
  if (unclaimed === undefined) return undefined;
  return world.db.tx((tx) =>
    identity.createSetupLink(tx, world, audit.operator, unclaimed.id, null),
  );
}

/** For an owner who has lost the password: the operator of the machine may always let them in. */
export async function ownerSetupLink(
  world: World,
  organization: string | undefined,
): Promise<string> {
  const unclaimed = organization === undefined ? await unclaimedSetupLink(world) : undefined;
  if (unclaimed !== undefined) return unclaimed;
  const owners = await identity.listPrimaryOwners(world.db, organization ?? null);
  const [owner] = owners;
  if (owner === undefined)
    throw new ExitError(
      organization === undefined
        ? "There is no organization yet: plinth init creates one."
        : `There is no organization ${organization}.`,
    );
  if (owners.length > 1)
    throw new ExitError("There are several organizations: name one with --organization.", 2);
  return world.db.tx((tx) =>
    identity.createSetupLink(tx, world, audit.operator, owner.organization_id, owner.id),
  );
}

const firstBody = (model: string) =>
  JSON.stringify({ model, max_tokens: 256, messages: [{ role: "user", content: "Hello" }] });

/** A request to paste, which works as it stands in the shell of the user who started the server. */
export function firstRequest(
  dataDirectory: string,
  publicUrl: string,
  model = "sim-large",
): string {
  const file = firstKeyFile(dataDirectory);
  const key = readable(file) ? `$(cat ${quoted(file)})` : "$PLINTH_API_KEY";
  return `curl ${publicUrl}/v1/messages -H "x-api-key: ${key}" -H "content-type: application/json" -d ${shellText(firstBody(model))}`;
}

const shellText = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : shellText(path));

function readable(path: string): boolean {
  try {
    return readFileSync(path).length > 0;
  } catch {
    return false;
  }
}
