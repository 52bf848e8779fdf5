// What the provider says of a person, read by the organization's mapping.
import type { Claims } from "./provider.ts";
import type { ConnectionRow } from "./queries.ts";
import { limits } from "./schema.ts";
import type { Role } from "../identity/module.ts";

export interface Arrival {
  issuer: string;
  subject: string;
  email: string | null;
  /** Null where the provider does not say. */
  emailVerified: boolean | null;
  name: string | null;
  /** Null where no claim is read for them, or the provider sent none. */
  groups: string[] | null;
}

type Mapping = Pick<ConnectionRow, "email_claim" | "name_claim" | "groups_claim">;

export function readClaims(claims: Claims, mapping: Mapping): Arrival {
  const email = textOf(claims[mapping.email_claim], 254);
  const verified = claims["email_verified"];
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: email !== null && /^[^@\s]+@[^@\s]+$/.test(email) ? email : null,
    // Some write it as text.
    emailVerified:
      verified === undefined || verified === null ? null : verified === true || verified === "true",
    name: textOf(claims[mapping.name_claim], 200),
    groups: mapping.groups_claim === null ? null : groupsOf(claims[mapping.groups_claim]),
  };
}

function textOf(value: unknown, charactersMax: number): string | null {
  if (typeof value !== "string") return null;
  const text = value.trim();
  return text === "" || text.length > charactersMax ? null : text;
}

function groupsOf(value: unknown): string[] | null {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return null;
  return value.filter((group) => typeof group === "string").slice(0, limits.groupsReadMax);
}

/** The first rule that fits, else the default. */
export function roleFor(
  groups: readonly string[] | null,
  { role_rules }: Pick<ConnectionRow, "role_rules">,
  defaultRole: string,
): Role {
  const rule = role_rules.find(({ group }) => groups?.includes(group));
  return (rule?.role ?? defaultRole) as Role;
}
