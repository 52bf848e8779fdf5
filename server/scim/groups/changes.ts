// What a request changes of a group: its name, and the members added and removed, in the request's order.
import type { Filter } from "scim2-parse-filter";
import { externalIdOf, textField } from "../people/documents.ts";
import { fieldOf, type PatchOperation } from "../patch-operations.ts";
import { limits } from "../limits.ts";
import { isObject } from "../schema.ts";
import { scimInvalid } from "../wire.ts";

export interface GroupChange {
  name?: string | undefined;
  externalId?: string | null | undefined;
  /** Members that are not listed are removed. */
  replacesMembers: boolean;
  add: Set<string>;
  remove: Set<string>;
}

const noChange = (): GroupChange => ({
  replacesMembers: false,
  add: new Set(),
  remove: new Set(),
});

/** For a whole group: without the attribute `members` they stay, for some providers send them separately. */
export function readGroup(body: unknown): GroupChange {
  if (!isObject(body)) throw scimInvalid("invalidSyntax", "The body must be a JSON object.");
  const members = fieldOf(body, "members");
  return {
    ...noChange(),
    name: nameOf(fieldOf(body, "displayName")),
    externalId: externalIdOf(body),
    replacesMembers: members !== undefined,
    add: new Set(members === undefined || members === null ? [] : idsOf(members)),
  };
}

const nameOf = (value: unknown) => textField(value, "displayName", limits.displayNameCharactersMax);

/** Rule SCM29. */
export function readGroupOperations(operations: readonly PatchOperation[]): GroupChange {
  const change = noChange();
  for (const operation of operations) {
    const { path, op, value } = operation;
    switch (path?.attribute?.toLowerCase()) {
      case "displayname":
        if (op === "remove") throw scimInvalid("mutability", "displayName: a group must have one.");
        change.name = nameOf(value);
        break;
      case "externalid":
        change.externalId = op === "remove" ? null : externalIdOf({ externalId: value });
        break;
      case "members":
        changeMembers(change, operation);
        break;
      default:
    }
  }
  if (change.add.size + change.remove.size > limits.membersPerRequestMax) throw tooManyMembers();
  return change;
}

function changeMembers(change: GroupChange, { op, path, value }: PatchOperation): void {
  const named = path?.filter === undefined ? undefined : idsIn(path.filter);
  if (op === "remove") {
    const ids = named ?? (value === undefined || value === null ? undefined : idsOf(value));
    if (ids === undefined) return replaceAll(change, []);
    for (const id of ids) {
      change.add.delete(id);
      change.remove.add(id);
    }
    return;
  }
  const ids = idsOf(value);
  if (op === "replace" && named === undefined) return replaceAll(change, ids);
  for (const id of named === undefined ? ids : [...named, ...ids]) {
    change.remove.delete(id);
    change.add.add(id);
  }
}

function replaceAll(change: GroupChange, ids: readonly string[]): void {
  change.replacesMembers = true;
  change.add = new Set(ids);
  change.remove = new Set();
}

/** `[{"value": "…"}]`, a single element, or the bare ids. */
function idsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length > limits.membersPerRequestMax) throw tooManyMembers();
  return list.map((entry, index) => {
    const id = isObject(entry) ? fieldOf(entry, "value") : entry;
    if (typeof id !== "string" || id === "")
      throw scimInvalid("invalidValue", `members[${index}].value: must be the id of a user.`);
    return id;
  });
}

const tooManyMembers = () =>
  scimInvalid(
    "tooMany",
    `members: are more than ${limits.membersPerRequestMax} in one request; send them in several.`,
  );

/** `members[value eq "a" or value eq "b"]` */
function idsIn(filter: Filter): string[] {
  if (filter.op === "or") return filter.filters.flatMap(idsIn);
  if (filter.op === "eq" && filter.attrPath.toLowerCase() === "value")
    return [String(filter.compValue)];
  throw scimInvalid("invalidPath", 'members: is chosen by id only, as in members[value eq "…"].');
}
