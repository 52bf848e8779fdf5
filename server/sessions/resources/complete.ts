// What a session is to be given, checked and with every default filled in.
import { posix } from "node:path";
import { invalid } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { expectThere, namedFiles } from "../../files/module.ts";
import { findStore, folderOf } from "../../memory/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import type { FileInput, RepositoryInput, ResourceInput, StoreInput } from "./schema.ts";

export interface CompleteResource {
  type: ResourceInput["type"];
  shown: Record<string, unknown> & { mount_path: string };
  secret: string | null;
}

/** `path` is the field that they stand in; `taken` are the paths that the session has already. */
export async function completeResources(
  context: Context,
  on: Queryable,
  given: readonly ResourceInput[],
  { path, taken = [] }: { path: (index: number) => string; taken?: readonly string[] },
): Promise<CompleteResource[]> {
  const stores = given.filter(({ type }) => type === "memory_store").length;
  if (stores > limits.storesMax)
    throw invalid(
      `resources: names ${stores} memory stores; a session has at most ${limits.storesMax}.`,
    );
  const files = await namedFiles(
    context,
    given.flatMap((each) => (each.type === "file" ? [each.file_id] : [])),
    on,
  );
  const complete: CompleteResource[] = [];
  const paths = [...taken];
  for (const [index, resource] of given.entries()) {
    const field = path(index);
    if (resource.type === "file") {
      expectThere(context, resource.file_id, files.get(resource.file_id));
      complete.push(fileOf(resource));
    } else if (resource.type === "github_repository") complete.push(repositoryOf(resource, field));
    else {
      expectOnce(given, resource, index, field);
      complete.push(await storeOf(context, on, resource, { field, paths }));
    }
    const mount = complete.at(-1)?.shown.mount_path ?? "";
    expectFree(mount, paths, field);
    paths.push(mount);
  }
  return complete;
}

function fileOf({ file_id, mount_path }: FileInput): CompleteResource {
  const path = mount_path ?? `/mnt/session/uploads/${file_id}`;
  return { type: "file", shown: { file_id, mount_path: posix.normalize(path) }, secret: null };
}

function repositoryOf(given: RepositoryInput, field: string): CompleteResource {
  const address = URL.canParse(given.url) ? new URL(given.url) : undefined;
  const isRepository = /^\/[\w.-]+\/[\w.-]+?\/?$/.test(address?.pathname ?? "");
  if (address?.protocol !== "https:" || address.username !== "" || !isRepository)
    throw invalid(
      `${field}.url: must be the https address of a repository, such as https://github.com/owner/name.`,
    );
  const name = posix.basename(address.pathname).replace(/\.git$/, "");
  const shown = {
    url: given.url,
    mount_path: posix.normalize(given.mount_path ?? `/workspace/${name}`),
    checkout: given.checkout ?? null,
  };
  return { type: "github_repository", shown, secret: given.authorization_token ?? null };
}

async function storeOf(
  context: Context,
  on: Queryable,
  { memory_store_id, access, instructions }: StoreInput,
  { field, paths }: { field: string; paths: readonly string[] },
): Promise<CompleteResource> {
  const store = await findStore(on, workspaceOf(context), memory_store_id);
  if (store === undefined)
    throw invalid(
      `${field}.memory_store_id: there is no memory store ${JSON.stringify(memory_store_id)} in this workspace.`,
      { code: "memory_store_not_found" },
    );
  if (store.archivedAt !== null)
    throw invalid(
      `${field}.memory_store_id: the memory store ${store.id} is archived, and no new session gets it.`,
      { code: "memory_store_archived" },
    );
  const folder = `/mnt/memory/${folderOf(store.name)}`;
  // Two stores may have one name.
  const mountPath = paths.includes(folder) ? `${folder}-${store.id.slice(-6)}` : folder;
  const shown = {
    memory_store_id: store.id,
    access: access ?? "read_write",
    name: store.name,
    description: store.description,
    instructions: instructions ?? null,
    mount_path: mountPath,
  };
  return { type: "memory_store", shown, secret: null };
}

function expectOnce(
  given: readonly ResourceInput[],
  { memory_store_id }: StoreInput,
  index: number,
  field: string,
): void {
  const first = given.findIndex(
    (each) => each.type === "memory_store" && each.memory_store_id === memory_store_id,
  );
  if (first !== index)
    throw invalid(
      `${field}.memory_store_id: the store is named twice, here and in resources.${first}.`,
    );
}

function expectFree(mount: string, paths: readonly string[], field: string): void {
  const other = paths.find(
    (path) => path === mount || path.startsWith(`${mount}/`) || mount.startsWith(`${path}/`),
  );
  if (other !== undefined)
    throw invalid(
      `${field}.mount_path: ${JSON.stringify(mount)} and ${JSON.stringify(other)} lie in one another; give one of them another path.`,
    );
}
