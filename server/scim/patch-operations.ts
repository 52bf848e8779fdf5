// Parses the operations of a PATCH, in all the dialects that providers use.
import type { Filter } from "scim2-parse-filter";
import { readFilter } from "./filter.ts";
import { limits } from "./limits.ts";
import { isObject, schemas, type Json } from "./schema.ts";
import { scimInvalid } from "./wire.ts";

export interface PatchOperation {
  op: "add" | "replace" | "remove";
  /** Undefined: the value is an object whose fields are the paths. */
  path: AttributePath | undefined;
  value: unknown;
}

/** `urn:…:User:emails[type eq "work"].value` */
export interface AttributePath {
  /** The extension that the path belongs to; null for the core. */
  extension: string | null;
  /** Null: the extension as a whole. */
  attribute: string | null;
  filter: Filter | undefined;
  subAttribute: string | null;
}

/** Finds a field by its name in any case. */
export const fieldOf = (object: Json, name: string): unknown => {
  const lower = name.toLowerCase();
  return Object.entries(object).find(([key]) => key.toLowerCase() === lower)?.[1];
};

/** Rule SCM22: `Replace` is `replace`, a value without a path is many paths. */
export function readOperations(body: unknown): PatchOperation[] {
  const operations = isObject(body) ? fieldOf(body, "Operations") : undefined;
  if (!Array.isArray(operations) || operations.length === 0)
    throw scimInvalid(
      "invalidSyntax",
      "Operations: is missing; send a list of objects with op, path and value.",
    );
  if (operations.length > limits.operationsMax)
    throw scimInvalid(
      "tooMany",
      `Operations: are ${operations.length}; send at most ${limits.operationsMax} at once.`,
    );
  return operations.flatMap((operation, index) => readOperation(operation, index));
}

function readOperation(operation: unknown, index: number): PatchOperation[] {
  const where = `Operations[${index}]`;
  if (!isObject(operation)) throw scimInvalid("invalidSyntax", `${where}: must be an object.`);
  const named = fieldOf(operation, "op");
  const op = typeof named === "string" ? named.toLowerCase() : "";
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw scimInvalid(
      "invalidSyntax",
      `${where}.op: ${JSON.stringify(String(named).slice(0, 40))} is not add, replace or remove.`,
    );
  const path = fieldOf(operation, "path");
  const value = fieldOf(operation, "value");
  if (op !== "remove" && value === undefined)
    throw scimInvalid("invalidValue", `${where}.value: is missing; ${op} needs one.`);
  if (typeof path === "string" && path.trim() !== "")
    return [{ op, path: readPath(path, `${where}.path`), value }];
  if (op === "remove")
    throw scimInvalid("noTarget", `${where}.path: is missing; remove has to name what goes.`);
  if (!isObject(value))
    throw scimInvalid("invalidValue", `${where}.value: must be an object where there is no path.`);
  return Object.entries(value).flatMap(([key, part]): PatchOperation[] => {
    const partPath = readPath(key, `${where}.value`);
    if (partPath.attribute !== null || !isObject(part))
      return [{ op, path: partPath, value: part }];
    return Object.entries(part).map(([name, inner]) => ({
      op,
      path: { ...partPath, attribute: safeName(name, where) },
      value: inner,
    }));
  });
}

const pathPattern =
  /^([$A-Za-z][\w$-]*)(?:\.([$A-Za-z][\w$-]*))?(?:\[(.*)\](?:\.([$A-Za-z][\w$-]*))?)?$/s;
const extensionPattern = /^(urn:.+:\d+\.\d+:\w+)(?::(.+))?$/is;

export function readPath(text: string, where: string): AttributePath {
  const trimmed = text.trim();
  const shown = JSON.stringify(trimmed.slice(0, 80));
  if (trimmed.length > limits.filterCharactersMax)
    throw scimInvalid("invalidPath", `${where}: ${shown}… is too long.`);
  const [, urn = null, rest] = extensionPattern.exec(trimmed) ?? [null, null, trimmed];
  const extension = urn === null || isCore(urn) ? null : urn;
  if (rest === undefined)
    return { extension, attribute: null, filter: undefined, subAttribute: null };
  const [, attribute = "", dotted, filter, sub] = pathPattern.exec(rest ?? "") ?? [];
  if (attribute === "" || (dotted !== undefined && filter !== undefined))
    throw scimInvalid("invalidPath", `${where}: ${shown} is not the path of an attribute.`);
  const inner = dotted ?? sub;
  return {
    extension: extension && canonicalExtension(extension),
    attribute: safeName(attribute, where),
    filter: readFilter(filter),
    subAttribute: inner === undefined ? null : safeName(inner, where),
  };
}

const isCore = (urn: string) =>
  [schemas.user, schemas.group].some((schema) => schema.toLowerCase() === urn.toLowerCase());

const canonicalExtension = (urn: string) =>
  urn.toLowerCase() === schemas.enterprise.toLowerCase() ? schemas.enterprise : urn;

/** JavaScript's own: these names are no fields of plain objects. */
function safeName(name: string, where: string): string {
  if (["__proto__", "constructor", "prototype"].includes(name))
    throw scimInvalid("invalidPath", `${where}: ${name} is no attribute.`);
  return name;
}
