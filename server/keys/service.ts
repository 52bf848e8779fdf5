// Keys: made once, verified often, and dead at once after a revocation.
import { Failure, invalid } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Context, World } from "../../kernel/context.ts";
import { hashSecret, newSecret, secretHint, secretPrefixes } from "../../kernel/secret/token.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as workspaces from "../workspaces/module.ts";
import * as queries from "./queries.ts";
import { toApiKey, toKey } from "./present.ts";
import {
  expectMayChange,
  expectBelowKeyLimit,
  workspaceOfNewKey,
  keyReachOfCaller,
} from "./reach.ts";
import type { CreateKey, Key, UpdateKey } from "./schema.ts";
import { limits } from "./limits.ts";
import { enterpriseScopes } from "./schema.ts";
import { allKinds, findOr404, publicKinds } from "./service-read.ts";
import { verdictsOf } from "./verdicts.ts";

const prefixByKind = {
  api: secretPrefixes.api,
  admin: secretPrefixes.admin,
  oauth: secretPrefixes.access,
} as const;

export interface IssueKey {
  organizationId: string;
  kind: queries.StoredKind;
  name: string;
  workspaceId?: string | null;
  scopes?: readonly string[];
  createdBy: string | null;
  expiresAt?: Date | null;
}

/** Rules KEY1, KEY2 and KEY10: inside the caller's transaction, with the entry in the audit log. */
export async function issueKey(tx: Tx, world: World, actor: audit.AuditActor, input: IssueKey) {
  const { organizationId, kind, name, createdBy } = input;
  const workspaceId =
    kind === "api"
      ? (await workspaces.lockOpenWorkspace(tx, organizationId, input.workspaceId ?? null)).id
      : null;
  const secret = newSecret(prefixByKind[kind], world.random);
  const id = world.ids.next("apikey_");
  await queries.insertKey(tx, organizationId, {
    id,
    workspaceId,
    kind,
    name,
    secretSha256: hashSecret(secret),
    hint: secretHint(secret),
    scopes: input.scopes ?? [],
    createdBy,
    createdAt: world.clock.now(),
    expiresAt: input.expiresAt ?? null,
  });
  const target = { type: "key", id };
  const details = { kind, name, workspace_id: workspaceId };
  await audit.record(tx, world, actor, { organizationId, action: "key.created", target, details });
  return { id, secret };
}

/** Rule KEY4: the row behind a valid secret, undefined when this server never made it. */
export async function verifyKey(world: World, secret: string) {
  const verdicts = verdictsOf(world);
  const row = await verdicts.keys(secret);
  if (row === undefined) return undefined;
  if (row.status === "archived") throw dead(row, "is archived. Use another one.");
  if (row.status !== "active")
    throw dead(row, `is ${row.status}. Use another one, or activate it in the console.`);
  if (row.expires_at !== null && row.expires_at <= world.clock.now())
    throw dead(row, `expired at ${row.expires_at.toISOString()}. Use another one.`);
  verdicts.noteUse(row.id);
  return row;
}

const kindOf = { api: "api_key", admin: "admin_key", oauth: "oauth_token" } as const;

const dead = ({ id, organization_id, kind, name }: queries.VerifiedKeyRow, why: string) =>
  new Failure("authentication_error", `The key ${id} ${why}`, {
    whose: { organizationId: organization_id, kind: kindOf[kind], credentialId: id, name },
  });

export async function createKey(
  context: Context,
  input: CreateKey,
): Promise<Key & { secret: string }> {
  const { db, clock, who } = context;
  const { organizationId } = who;
  expectScopes(who.organizationType, input);
  const name = cleanName("name", input.name, limits.nameCharactersMax);
  const expiresAt = input.expires_at === undefined ? null : new Date(input.expires_at);
  if (expiresAt !== null && !(expiresAt > clock.now()))
    throw invalid("expires_at: must be a time in the future.");
  return db.tx(async (tx) => {
    const workspaceId = await workspaceOfNewKey(tx, context, input);
    await expectBelowKeyLimit(tx, context, workspaceId);
    const issued = await issueKey(tx, context, audit.actorOf(context), {
      organizationId,
      kind: input.kind,
      name,
      workspaceId,
      scopes: [...new Set(input.scopes)],
      createdBy: who.userId,
      expiresAt,
    });
    const row = await findOr404(tx, organizationId, issued.id, { kinds: publicKinds, reach: null });
    return { ...toKey(row, clock.now()), secret: issued.secret };
  });
}

/** Rule KEY7. */
function expectScopes(type: string, { kind, scopes = [], workspace_id }: CreateKey): void {
  if (kind === "admin" && workspace_id !== undefined)
    throw invalid("workspace_id: an admin key stands above workspaces; leave it out.");
  const scoped = kind === "admin" && type === "enterprise";
  if (scoped && scopes.length === 0)
    throw invalid(`scopes: choose at least one of ${enterpriseScopes.join(", ")}.`);
  if (!scoped && scopes.length > 0)
    throw invalid(
      "scopes: only admin keys of enterprise organizations have scopes; leave them out.",
    );
}

export async function updateKey(
  context: Context,
  id: string,
  change: UpdateKey,
  kinds = allKinds,
): Promise<queries.KeyRow> {
  const { db, clock, who } = context;
  const { organizationId } = who;
  const name = change.name && cleanName("name", change.name, limits.nameCharactersMax);
  return db.tx(async (tx) => {
    const visible = { kinds, reach: await keyReachOfCaller(context, "write", tx) };
    await queries.lockKey(tx, organizationId, id);
    const row = await findOr404(tx, organizationId, id, visible);
    expectMayChange(context, row);
    if (row.status === "archived")
      throw invalid(`The key ${id} is archived, which is for ever. Create another one.`);
    const next = { name: name ?? row.name, status: change.status ?? row.status };
    const isOver = row.expires_at !== null && row.expires_at <= clock.now();
    if (change.status === "active" && isOver)
      throw invalid(`status: the key ${id} has expired and wakes no more. Create another one.`);
    if (next.name === row.name && next.status === row.status) return row;
    if (next.status === "active" && row.status !== "active")
      await expectBelowKeyLimit(tx, context, row.workspace_id);
    await queries.updateKey(tx, organizationId, id, next);
    await verdictsOf(context).revoke(tx);
    await audit.recordByCaller(tx, context, {
      action: next.status === row.status ? "key.renamed" : `key.${actionOf[next.status]}`,
      target: { type: "key", id },
      details: { name: next.name, ...(next.name !== row.name && { name_before: row.name }) },
    });
    return { ...row, ...next };
  });
}

const actionOf = { active: "activated", inactive: "deactivated", archived: "archived" } as const;

export async function updateConsoleKey(context: Context, id: string, change: UpdateKey) {
  return toKey(await updateKey(context, id, change), context.clock.now());
}

export async function updateApiKey(context: Context, id: string, change: UpdateKey) {
  return toApiKey(await updateKey(context, id, change, publicKinds), context.clock.now());
}

/** Rules WSP7 and WSP8: archiving a workspace ends its keys. */
export function archiveWorkspace(context: Context, id: string) {
  return context.db.tx((tx) =>
    workspaces.archiveWorkspace(tx, context, id, async () => {
      const ended = await queries.archiveKeys(tx, context.who.organizationId, id);
      await verdictsOf(context).revoke(tx);
      return ended;
    }),
  );
}
