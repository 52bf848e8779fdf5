// Calls about groups, and groups and roles by name or id.
import { ApiError, type Client } from "../../contract/client.ts";
import type { RbacGroup, RbacRole } from "../../contract/types.ts";
import { askOfEnterprise } from "../administration.ts";
import type { Flags } from "../options.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";

const limit = 100;

export const askOfGroups = <T>(
  terminal: Terminal,
  flags: Flags,
  question: (client: Client) => Promise<T>,
): Promise<T> => askOfEnterprise(terminal, flags, elsewhere, question);

const elsewhere =
  "This organization has no groups: only an enterprise organization has. Roles of people are set with plinth members role.";

/** A key may change groups without the scope to read them: an id is not asked for. */
export async function findGroup(client: Client, text: string): Promise<string> {
  if (/^rbac_group_\w+$/.test(text)) return text;
  const found: RbacGroup[] = [];
  for await (const group of client.pages(client.rbac_groups.list, { query: { limit } }))
    if (group.name === text) found.push(group);
  return only(found, "group", text, "plinth groups list");
}

export async function findRole(client: Client, text: string): Promise<string> {
  if (/^rbac_role_\w+$/.test(text)) return text;
  const found: RbacRole[] = [];
  for await (const role of client.pages(client.rbac_roles.list, { query: { limit } }))
    if (role.display_name === text) found.push(role);
  return only(found, "role", text, "plinth groups roles");
}

function only(found: readonly { id: string }[], noun: string, text: string, list: string): string {
  const [first, ...more] = found;
  if (first !== undefined && more.length === 0) return first.id;
  const name = JSON.stringify(text);
  throw new CliError(
    first === undefined
      ? `No ${noun} is called ${name}: ${list} shows which there are.`
      : `${found.length} ${noun}s are called ${name}. Name one by its id: ${found.map(({ id }) => id).join(", ")}.`,
    exitCodes.usage,
  );
}

/** Of roles by their ids; an id where there is no name for it. */
export async function roleNames(client: Client): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  try {
    for await (const role of client.pages(client.rbac_roles.list, { query: { limit } }))
      names.set(role.id, role.display_name);
  } catch (error) {
    // A key may read groups without the scope for roles.
    if (!(error instanceof ApiError && error.status === 403)) throw error;
  }
  return names;
}
