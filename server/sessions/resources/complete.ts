// What a session is to be given, checked and with every default filled in.
import { isIP } from "node:net";
import { posix } from "node:path";
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Actor, World } from "../../../kernel/context.ts";
import { judgeAddress } from "../../../kernel/http/outside/fetch.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { mountRootOf } from "../../environments/module.ts";
import { expectThere, namedFiles } from "../../files/module.ts";
import { findStore, folderOf } from "../../memory/module.ts";
import { hasShortSteps } from "../../mounts/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import type { FileInput, RepositoryInput, ResourceInput, StoreInput } from "./schema.ts";

export interface CompleteResource {
  type: ResourceInput["type"];
  shown: Record<string, unknown> & { mount_path: string };
  secret: string | null;
}

/** Where the memory stores of a session lie: a worker may have those of several sessions on one machine. */
export const storesFolder = (
  world: Pick<World, "sections">,
  { id, environmentType }: { id: string; environmentType: "cloud" | "self_hosted" },
): string => (environmentType === "cloud" ? "/mnt/memory" : `${mountRootOf(world)}/${id}`);

interface Completing {
  /** Comes before the fields of each in the body. */
  prefix: (index: number) => string;
  /** Paths that the session has already. */
  taken?: readonly string[];
  /** Only where stores may be among them. */
  storesIn?: string;
}

export async function completeResources(
  context: Actor,
  on: Queryable,
  given: readonly ResourceInput[],
  { prefix, taken = [], storesIn = "" }: Completing,
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
    const fields = prefix(index);
    if (resource.type === "file") {
      expectThere(context, resource.file_id, files.get(resource.file_id));
      complete.push(fileOf(resource, fields));
    } else if (resource.type === "github_repository")
      complete.push(repositoryOf(context, resource, fields));
    else {
      expectOnce(given, resource, index, fields);
      complete.push(await storeOf(context, on, resource, { fields, paths, storesIn }));
    }
    const mount = complete.at(-1)?.shown.mount_path ?? "";
    expectFree(mount, paths, fields);
    paths.push(mount);
  }
  return complete;
}

function fileOf({ file_id, mount_path }: FileInput, fields: string): CompleteResource {
  const path = plainPath(mount_path ?? `/mnt/session/uploads/${file_id}`, fields);
  return { type: "file", shown: { file_id, mount_path: path }, secret: null };
}

/** One path for all the ways to write it. The root is none: everything lies in it. */
function plainPath(path: string, fields: string): string {
  if (/[\p{Cc}\u2028\u2029]/u.test(path))
    throw invalid(
      `${fields}mount_path: has a line break or another control character, which a path here must not have.`,
    );
  const plain = posix.normalize(path).replace(/\/$/, "");
  if (plain === "")
    throw invalid(
      `${fields}mount_path: must name a place below the root, such as /workspace/data.csv.`,
    );
  if (hasShortSteps(plain)) return plain;
  throw invalid(`${fields}mount_path: has a step of more than 255 bytes, which no file has.`);
}

function repositoryOf(context: Actor, given: RepositoryInput, fields: string): CompleteResource {
  const address = plainAddress.test(given.url) && URL.canParse(given.url) && new URL(given.url);
  const name = address && posix.basename(address.pathname).replace(/\.git$/, "");
  if (!address || !name || /^\.+$/.test(name) || !isSafe(context, address))
    throw invalid(
      `${fields}url: must be the https address of a repository, such as https://github.com/owner/name, and nothing else.`,
    );
  const shown = {
    url: given.url,
    mount_path: plainPath(given.mount_path ?? `/workspace/${name}`, fields),
    checkout: given.checkout ?? null,
  };
  return { type: "github_repository", shown, secret: given.authorization_token ?? null };
}

/** As git reads it, too: without a user, a query, blanks or backslashes. */
const plainAddress = /^https?:\/\/[^\s/\\?#@]+\/[\w.-]+\/[\w.-]+\/?$/i;

/** A token goes over plain http to machines alone that the operator has allowed by their addresses. */
const isSafe = (context: Actor, { protocol, hostname }: URL): boolean =>
  protocol === "https:" ||
  (protocol === "http:" && isIP(hostname) !== 0 && judgeAddress(context, hostname) === "allowed");

async function storeOf(
  context: Actor,
  on: Queryable,
  { memory_store_id, access, instructions }: StoreInput,
  { fields, paths, storesIn }: { fields: string; paths: readonly string[]; storesIn: string },
): Promise<CompleteResource> {
  const store = await findStore(on, workspaceOf(context), memory_store_id);
  if (store === undefined)
    throw notFound("memory store", memory_store_id, { code: "memory_store_not_found" });
  if (store.archivedAt !== null)
    throw invalid(
      `${fields}memory_store_id: the memory store ${store.id} is archived, and no new session gets it.`,
      { code: "memory_store_archived" },
    );
  // File systems take names of 255 bytes, and a piece of the id may follow.
  const folder = `${storesIn}/${folderOf(store.name).slice(0, limits.folderCharactersMax)}`;
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
  fields: string,
): void {
  const first = given.findIndex(
    (each) => each.type === "memory_store" && each.memory_store_id === memory_store_id,
  );
  if (first !== index)
    throw invalid(
      `${fields}memory_store_id: the store is named twice, here and in resources.${first}.`,
    );
}

function expectFree(mount: string, paths: readonly string[], fields: string): void {
  const other = paths.find(
    (path) => path === mount || path.startsWith(`${mount}/`) || mount.startsWith(`${path}/`),
  );
  if (other !== undefined)
    throw invalid(
      `${fields}mount_path: ${JSON.stringify(mount)} and ${JSON.stringify(other)} lie in one another; give one of them another path.`,
    );
}
