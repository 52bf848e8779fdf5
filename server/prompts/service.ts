// Saves, shows, renames and deletes prompts.
import { conflict, invalid, notFound } from "../../kernel/base/failure.ts";
import { caseless, cleanName } from "../../kernel/base/name.ts";
import type { Context } from "../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { recordByCaller } from "../audit/module.ts";
import { lockOrganization, workspaceOf } from "../workspaces/module.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type {
  CreatePrompt,
  CreateVersion,
  Prompt,
  PromptQuery,
  PromptVersion,
  RenamePrompt,
} from "./schema.ts";

export async function createPrompt(context: Context, body: CreatePrompt): Promise<PromptVersion> {
  const { db, ids, clock, who } = context;
  const { organizationId } = who;
  const workspaceId = workspaceOf(context);
  const name = nameOf(body.name);
  const request = textOf(body.request);
  const now = clock.now();
  const id = ids.next("prompt_");
  const version = { version: 1, createdBy: who.userId, createdAt: now };
  await db.tx(async (tx) => {
    // Another one that is made meanwhile waits, and then counts this one too.
    await lockOrganization(tx, organizationId);
    const prompts = await queries.countPrompts(tx, workspaceId);
    if (prompts >= limits.promptsPerWorkspace)
      throw invalid(
        `The workspace has ${prompts} prompts, and ${limits.promptsPerWorkspace} are allowed. Delete some first.`,
        { code: "prompt_limit_exceeded" },
      );
    const row = { id, organizationId, name, versions: 1, createdAt: now, updatedAt: now };
    const isNew = await queries.insertPrompt(tx, workspaceId, { ...row, nameKey: caseless(name) });
    if (!isNew) throw taken(name);
    await queries.insertVersion(tx, id, { ...version, request });
    await recordPrompt(tx, context, "prompt.created", id, { name });
  });
  return presentVersion(id, { ...version, model: body.request.model, request: body.request });
}

export async function listPrompts(context: Context, query: PromptQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const before = cursors.read("prompts", workspaceId, query.page) as string | undefined;
  const window = { before: before ?? null, rows: size + 1 };
  const rows = await queries.listPrompts(db, workspaceId, window);
  const page = toCursorPage(rows, size, ({ id }) => cursors.write("prompts", workspaceId, id));
  return { ...page, data: page.data.map(present) };
}

export async function renamePrompt(
  context: Context,
  id: string,
  body: RenamePrompt,
): Promise<Prompt> {
  const { db, who } = context;
  const workspaceId = workspaceOf(context);
  const name = nameOf(body.name);
  return db.tx(async (tx) => {
    await lockOrganization(tx, who.organizationId);
    const row = await queries.lockPrompt(tx, workspaceId, id);
    if (row === undefined) throw notFound("prompt", id);
    const newest = await queries.findVersion(tx, id, row.versions);
    const updatedBy = newest?.createdBy ?? null;
    if (row.name === name) return present({ ...row, updatedBy });
    const named = { id, name, nameKey: caseless(name) };
    if (await queries.hasOther(tx, workspaceId, named)) throw taken(name);
    await queries.setName(tx, workspaceId, named);
    await recordPrompt(tx, context, "prompt.renamed", id, { name, name_before: row.name });
    return present({ ...row, name, updatedBy });
  });
}

export async function deletePrompt(context: Context, id: string) {
  const workspaceId = workspaceOf(context);
  await context.db.tx(async (tx) => {
    const row = await queries.lockPrompt(tx, workspaceId, id);
    if (row === undefined) throw notFound("prompt", id);
    await queries.deletePrompt(tx, workspaceId, id);
    const { name, versions } = row;
    await recordPrompt(tx, context, "prompt.deleted", id, { name, versions });
  });
  return { id, type: "prompt_deleted" as const };
}

/** Rule PRM2. */
export async function addVersion(
  context: Context,
  id: string,
  body: CreateVersion,
): Promise<PromptVersion> {
  const { db, clock, who } = context;
  const workspaceId = workspaceOf(context);
  const request = textOf(body.request);
  return db.tx(async (tx) => {
    const row = await queries.lockPrompt(tx, workspaceId, id);
    if (row === undefined) throw notFound("prompt", id);
    if (row.versions >= limits.versionsPerPrompt)
      throw invalid(
        `The prompt ${id} has ${row.versions} versions, and no more are allowed. Save it under another name.`,
        { code: "prompt_version_limit_exceeded" },
      );
    const version = row.versions + 1;
    const added = { version, createdBy: who.userId, createdAt: clock.now() };
    await queries.insertVersion(tx, id, { ...added, request });
    await queries.setNewest(tx, workspaceId, { id, versions: version, updatedAt: added.createdAt });
    await recordPrompt(tx, context, "prompt.version_created", id, { version });
    return presentVersion(id, { ...added, model: body.request.model, request: body.request });
  });
}

export async function listVersions(context: Context, id: string, query: PromptQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  await expectPrompt(context, id);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const list = `prompt versions ${id}`;
  const before = cursors.read(list, workspaceId, query.page) as number | undefined;
  const rows = await queries.listVersions(db, id, { before: before ?? null, rows: size + 1 });
  const page = toCursorPage(rows, size, ({ version }) => cursors.write(list, workspaceId, version));
  return { ...page, data: page.data.map((row) => presentEntry(id, row)) };
}

export async function retrieveVersion(
  context: Context,
  id: string,
  version: string,
): Promise<PromptVersion> {
  await expectPrompt(context, id);
  const isNumber = /^[1-9]\d{0,8}$/.test(version);
  const row = isNumber ? await queries.findVersion(context.db, id, Number(version)) : undefined;
  if (row === undefined) throw notFound(`version of the prompt ${id}`, version);
  return presentVersion(id, { ...row, request: row.request as PromptVersion["request"] });
}

async function expectPrompt(context: Context, id: string): Promise<void> {
  const row = await queries.findPrompt(context.db, workspaceOf(context), id);
  if (row === undefined) throw notFound("prompt", id);
}

const nameOf = (name: string) => cleanName("name", name, limits.nameCharactersMax);

const taken = (name: string) =>
  conflict(
    `There is a prompt ${name} in this workspace already: save a version of that one, or choose another name.`,
    { code: "prompt_name_taken" },
  );

/** Rules PRM3 and PRM4. */
function textOf(request: CreatePrompt["request"]): string {
  const { mcp_servers: servers } = request as { mcp_servers?: unknown };
  const hasToken = (server: unknown) =>
    (server as { authorization_token?: unknown } | null)?.authorization_token != null;
  if (Array.isArray(servers) && servers.some(hasToken))
    throw invalid("request.mcp_servers: holds an authorization_token; prompts keep no secrets.");
  const text = JSON.stringify(request);
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.requestBytesMax)
    throw invalid(
      `request: has ${bytes} bytes; a prompt takes at most ${limits.requestBytesMax}. Upload pictures and documents, and name them by their file id.`,
    );
  return text;
}

const present = (row: queries.ListedPrompt): Prompt => ({
  id: row.id,
  type: "prompt",
  name: row.name,
  version: row.versions,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  updated_by: row.updatedBy,
});

const presentEntry = (promptId: string, row: queries.VersionEntry) => ({
  type: "prompt_version" as const,
  prompt_id: promptId,
  version: row.version,
  model: row.model,
  created_at: row.createdAt.toISOString(),
  created_by: row.createdBy,
});

const presentVersion = (
  promptId: string,
  row: queries.VersionEntry & { request: PromptVersion["request"] },
): PromptVersion => ({ ...presentEntry(promptId, row), request: row.request });

const recordPrompt = (
  tx: Tx,
  context: Context,
  action: string,
  id: string,
  details: Record<string, unknown>,
) => recordByCaller(tx, context, { action, target: { type: "prompt", id }, details });
