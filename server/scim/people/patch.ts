// Applies operations to the document of a person: attributes, parts of them, and elements of lists.
import type { Filter } from "scim2-parse-filter";
import { matches } from "../filter.ts";
import type { PatchOperation, AttributePath } from "../patch-operations.ts";
import { isObject, type Json } from "../schema.ts";
import { scimInvalid } from "../wire.ts";

/** Rule SCM22. The given document stays unchanged. */
export function applyOperations(document: Json, operations: readonly PatchOperation[]): Json {
  const result = structuredClone(document);
  for (const operation of operations) {
    if (operation.path === undefined) continue;
    applyOne(result, operation.path, operation);
  }
  return result;
}

function applyOne(document: Json, path: AttributePath, { op, value }: PatchOperation): void {
  const { extension, attribute } = path;
  if (attribute === null) {
    if (op === "remove") return removeKey(document, extension ?? "");
    throw scimInvalid("invalidValue", `${extension ?? "value"}: must be an object of attributes.`);
  }
  const container = extension === null ? document : extensionOf(document, extension, op);
  if (container === undefined) return;
  const key = keyOf(container, attribute);
  const target: PatchTarget = { container, key, op, value };
  if (path.filter !== undefined) return applyToElements(target, path.filter, path.subAttribute);
  if (path.subAttribute !== null) return applyToPart(target, path.subAttribute);
  applyToWhole(target);
}

interface PatchTarget {
  container: Json;
  key: string;
  op: PatchOperation["op"];
  value: unknown;
}

function extensionOf(document: Json, urn: string, op: PatchOperation["op"]): Json | undefined {
  const key = keyOf(document, urn);
  const found = document[key];
  if (isObject(found)) return found;
  if (op === "remove") return undefined;
  const made: Json = {};
  document[key] = made;
  return made;
}

/** The existing field, whatever the case of its name. */
function keyOf(object: Json, name: string): string {
  const lower = name.toLowerCase();
  return Object.keys(object).find((key) => key.toLowerCase() === lower) ?? name;
}

const removeKey = (object: Json, name: string) => void delete object[keyOf(object, name)];

function applyToWhole({ container, key, op, value }: PatchTarget): void {
  const present = container[key];
  if (op === "remove") {
    // Some providers send the elements to remove as a value beside the bare name of the list.
    if (Array.isArray(present) && value !== undefined && value !== null)
      container[key] = without(present, value);
    else delete container[key];
  } else if (op === "replace" || present === undefined) container[key] = value;
  else if (Array.isArray(present)) container[key] = joined(present, value);
  else if (isObject(present) && isObject(value)) Object.assign(present, value);
  else container[key] = value;
}

const elementsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** What tells two elements of a list apart. */
const identityOf = (element: unknown) =>
  JSON.stringify(isObject(element) && "value" in element ? element["value"] : element);

function joined(present: readonly unknown[], value: unknown): unknown[] {
  const added = elementsOf(value);
  const ids = new Set(added.map(identityOf));
  return [...present.filter((element) => !ids.has(identityOf(element))), ...added];
}

function without(present: readonly unknown[], value: unknown): unknown[] {
  const ids = new Set(elementsOf(value).map(identityOf));
  return present.filter((element) => !ids.has(identityOf(element)));
}

function applyToPart({ container, key, op, value }: PatchTarget, sub: string): void {
  const present = container[key];
  if (Array.isArray(present)) {
    for (const element of present) if (isObject(element)) setPart(element, sub, op, value);
    return;
  }
  if (isObject(present)) return setPart(present, sub, op, value);
  if (op !== "remove") container[key] = { [sub]: value };
}

function setPart(object: Json, sub: string, op: PatchOperation["op"], value: unknown): void {
  const key = keyOf(object, sub);
  if (op === "remove") delete object[key];
  else object[key] = value;
}

/** A missing element is created: providers send `replace` for the first value as well. */
function applyToElements(target: PatchTarget, filter: Filter, sub: string | null): void {
  const { container, key, op, value } = target;
  const list = container[key] === undefined ? [] : elementsOf(container[key]);
  const isMeant = (element: unknown) => matches(filter, element);
  if (op === "remove" && sub === null) {
    const rest = list.filter((element) => !isMeant(element));
    if (rest.length > 0) container[key] = rest;
    else delete container[key];
    return;
  }
  const meant = list.filter(isMeant).filter(isObject);
  if (meant.length === 0 && op !== "remove") {
    const made = wordsOf(filter);
    list.push(made);
    meant.push(made);
  }
  for (const element of meant) {
    if (sub !== null) setPart(element, sub, op, value);
    else if (isObject(value)) Object.assign(element, value);
    else element["value"] = value;
  }
  if (list.length > 0) container[key] = list;
}

/** `type eq "work" and primary eq true` → the values that an element must have to be selected. */
function wordsOf(filter: Filter): Json {
  if (filter.op === "and") return Object.assign({}, ...filter.filters.map(wordsOf)) as Json;
  return filter.op === "eq" ? { [filter.attrPath]: filter.compValue } : {};
}
