// Between a provider's document of a person and Plinth's data: names, addresses, roles, and the rest.
import { parseShallow } from "../../../kernel/base/json.ts";
import { cleanName } from "../../../kernel/base/name.ts";
import { emailPattern, roles as allRoles, type Role } from "../../identity/module.ts";
import { fieldOf } from "../patch-operations.ts";
import { limits } from "../limits.ts";
import { isObject, schemas, type Json } from "../schema.ts";
import { scimInvalid } from "../wire.ts";

/** Attributes that a provider cannot set, that have a column, or that are never kept. */
const notKept = new Set([
  "schemas",
  "id",
  "meta",
  "groups",
  "password",
  "username",
  "externalid",
  "active",
]);

export interface ParsedUser {
  userName: string | undefined;
  externalId: string | null | undefined;
  active: boolean | undefined;
  /** All other attributes. */
  document: Json;
}

/** Rule SCM21. Unknown attributes are kept; a password never is. */
export function readUser(body: unknown): ParsedUser {
  if (!isObject(body)) throw scimInvalid("invalidSyntax", "The body must be a JSON object.");
  const kept = Object.entries(body).filter(([name]) => !notKept.has(name.toLowerCase()));
  const document = Object.fromEntries(kept);
  if (JSON.stringify(document).length > limits.documentBytesMax)
    throw scimInvalid(
      "tooMany",
      `The person has more than ${limits.documentBytesMax} bytes of attributes; map fewer of them.`,
    );
  return {
    userName: textField(fieldOf(body, "userName"), "userName", limits.userNameCharactersMax),
    externalId: externalIdOf(body),
    active: flagOf(fieldOf(body, "active"), "active"),
    document,
  };
}

export function externalIdOf(body: Json): string | null | undefined {
  const given = fieldOf(body, "externalId");
  if (given === null || given === "") return null;
  return textField(given, "externalId", limits.externalIdCharactersMax);
}

/** A text of the provider, trimmed; a number is taken as text. */
export function textField(
  value: unknown,
  field: string,
  charactersMax: number,
): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" && typeof value !== "number")
    throw scimInvalid("invalidValue", `${field}: must be a text.`);
  const text = String(value).trim();
  if (text === "") throw scimInvalid("invalidValue", `${field}: must not be empty.`);
  return cleanName(field, text, charactersMax);
}

/** `"False"` switches off as well as false does: a spelling must not keep a person in. */
export function flagOf(value: unknown, field: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "boolean") return value;
  if (typeof value === "string" && /^(?:true|false)$/i.test(value.trim()))
    return value.trim().toLowerCase() === "true";
  throw scimInvalid("invalidValue", `${field}: must be true or false.`);
}

const isFlagged = (value: unknown) => /^true$/i.test(String(value));

/** The primary one, else the one of work, else the first; undefined when none is given. */
export function emailOf(document: Json): string | undefined {
  const given = fieldOf(document, "emails");
  const list = (Array.isArray(given) ? given : given === undefined ? [] : [given])
    .map((entry): Json => (isObject(entry) ? entry : { value: entry }))
    .filter((entry) => typeof fieldOf(entry, "value") === "string");
  const chosen =
    list.find((entry) => isFlagged(fieldOf(entry, "primary"))) ??
    list.find((entry) => /^work$/i.test(String(fieldOf(entry, "type")))) ??
    list[0];
  if (chosen === undefined) return undefined;
  const email = String(fieldOf(chosen, "value")).trim();
  if (!isEmail(email))
    throw scimInvalid(
      "invalidValue",
      `emails: ${JSON.stringify(email.slice(0, 80))} is no e-mail address.`,
    );
  return email;
}

const pattern = new RegExp(emailPattern, "u");
export const isEmail = (text: string) => text.length <= 320 && pattern.test(text);

/** The person's name; undefined when the provider sends none. */
export function personNameOf(document: Json): string | undefined {
  const name = fieldOf(document, "name");
  const parts = isObject(name) ? name : {};
  const both = [fieldOf(parts, "givenName"), fieldOf(parts, "familyName")]
    .filter((part) => typeof part === "string" && part.trim() !== "")
    .join(" ");
  const candidates = [fieldOf(document, "displayName"), fieldOf(parts, "formatted"), both];
  const chosen = candidates.find(
    (text): text is string => typeof text === "string" && text.trim() !== "",
  );
  return chosen === undefined
    ? undefined
    : cleanName("displayName", chosen, limits.displayNameCharactersMax);
}

/** Owners keep their role: a provider neither makes nor unmakes one. */
const strengths: readonly Role[] = [
  "admin",
  "membership_admin",
  "billing",
  "developer",
  "claude_code_user",
  "user",
  "managed",
];
const ofPlatform = new Set<Role>(["admin", "billing", "developer", "claude_code_user", "user"]);
const ofEnterprise = new Set<Role>(["membership_admin", "user", "managed"]);

/** Rule SCM27. The strongest role that exists in this organization; undefined when none does. */
export function roleOf(document: Json, isEnterprise: boolean): Role | undefined {
  const given = fieldOf(document, "roles");
  const list = Array.isArray(given) ? given : given === undefined ? [] : [given];
  const known = isEnterprise ? ofEnterprise : ofPlatform;
  const words = new Set(list.flatMap(wordsOfRole));
  return strengths.find((role) => known.has(role) && words.has(role));
}

/** `developer`, `{"value": "developer"}`, and the JSON text that some providers send. */
function wordsOfRole(entry: unknown): string[] {
  const value = isObject(entry) ? (fieldOf(entry, "value") ?? fieldOf(entry, "display")) : entry;
  if (typeof value !== "string") return [];
  const inner = /^\s*\{/.test(value) ? jsonOf(value) : undefined;
  if (inner !== undefined) return wordsOfRole(inner);
  const word = value
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  return [word === "vendor_code_user" ? "claude_code_user" : word];
}

function jsonOf(text: string): Json | undefined {
  try {
    const value = parseShallow(text);
    // One level only: no provider wraps a role twice.
    return isObject(value) && !/^\s*\{/.test(String(value["value"])) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isRole = (text: string): text is Role =>
  (allRoles as readonly string[]).includes(text);

/** Schemas that a document uses. */
export const schemasOf = (document: Json): string[] => [
  schemas.user,
  ...Object.keys(document).filter((key) => /^urn:/i.test(key)),
];
