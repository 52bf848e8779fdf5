// SCIM on the wire: its content type, its errors, its resources with the requested fields.
import { Failure, invalid } from "../../kernel/base/failure.ts";
import { redactKeys } from "../../kernel/base/redact-keys.ts";
import type { ReplyFormat } from "../../kernel/http/dispatch.ts";
import { schemas, type Json, type ResourceQuery } from "./schema.ts";

export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

/** A 400 with the `scimType` of RFC 7644, section 3.12. */
export const scimInvalid = (scimType: ScimType, message: string) =>
  invalid(message, { fields: { scimType } });

export const notUnique = (message: string) =>
  new Failure("conflict_error", message, { fields: { scimType: "uniqueness" } });

/** Rule SCM20. */
export const wire: ReplyFormat = {
  contentType: "application/scim+json",
  error: (failure) => {
    const scimType = scimTypeOf(failure);
    return {
      schemas: [schemas.error],
      status: String(failure.status),
      ...(scimType !== undefined && { scimType }),
      detail: redactKeys(failure.message),
    };
  },
};

/** Refusals from other parts of this server carry no `scimType`. */
function scimTypeOf({ status, options, message }: Failure): unknown {
  const scimType = options.fields?.["scimType"];
  if (scimType !== undefined) return scimType;
  if (status === 409) return "uniqueness";
  if (status !== 400) return undefined;
  return message.startsWith("The body ") ? "invalidSyntax" : "invalidValue";
}

/** Rule SCM28: `id` and `schemas` are always there. Names of parts, as in `name.givenName`, stand for the whole. */
export function selectAttributes(resource: Json, query: ResourceQuery): Json {
  const wanted = namesIn(query.attributes);
  const excluded = namesIn(query.excludedAttributes);
  if (wanted.size === 0 && excluded.size === 0) return resource;
  const kept = Object.entries(resource).filter(([name]) => {
    const lower = name.toLowerCase();
    if (lower === "id" || lower === "schemas") return true;
    if (wanted.size > 0) return wanted.has(lower);
    return !excluded.has(lower);
  });
  return Object.fromEntries(kept);
}

/** Whether the answer includes this attribute: an expensive one is not even read otherwise. */
export function isWanted(attribute: string, query: ResourceQuery): boolean {
  const wanted = namesIn(query.attributes);
  if (wanted.size > 0) return wanted.has(attribute);
  return !namesIn(query.excludedAttributes).has(attribute);
}

function namesIn(list: string | undefined): Set<string> {
  const names = (list ?? "").split(",").map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => name !== "").map(topOf));
}

/** `urn:…:User:name.givenName` → `name`; the name of an extension stays whole. */
function topOf(name: string): string {
  if (name.startsWith("urn:ietf:params:scim:schemas:core:2.0:"))
    return (name.split(":")[7] ?? "").split(".")[0] ?? "";
  const extension = schemas.enterprise.toLowerCase();
  if (name.startsWith(extension)) return extension;
  return name.split(".")[0] ?? "";
}

export const listResponse = (
  resources: readonly Json[],
  { total, startIndex }: { total: number; startIndex: number },
) => ({
  schemas: [schemas.list],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});
