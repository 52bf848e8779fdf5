// The provider's claims about a person, read by the organization's mapping.
import { isPrintable, nameFrom } from "../../../kernel/base/name.ts";
import type { Claims } from "./provider.ts";
import type { ConnectionRow } from "../queries.ts";
import { limits } from "../limits.ts";
import { emailPattern, type Role } from "../../identity/module.ts";

export interface AssertedIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  /** The claim was present and no address. */
  hasUnusableEmail: boolean;
  /** Null where the provider sends none. */
  emailVerified: boolean | null;
  name: string | null;
  /** Null where the mapping names no claim, or the provider sent none. */
  groups: string[] | null;
}

type Mapping = Pick<ConnectionRow, "email_claim" | "name_claim" | "groups_claim">;

export function readClaims(claims: Claims, mapping: Mapping): AssertedIdentity {
  const emailClaim = claims[mapping.email_claim];
  const email = emailOf(emailClaim);
  const verified = claims["email_verified"];
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    hasUnusableEmail:
      email === null && emailClaim !== undefined && emailClaim !== null && emailClaim !== "",
    // Some providers send it as text.
    emailVerified:
      verified === undefined || verified === null ? null : verified === true || verified === "true",
    name: nameOf(claims[mapping.name_claim]),
    groups: mapping.groups_claim === null ? null : groupsOf(claims[mapping.groups_claim]),
  };
}

const pattern = new RegExp(emailPattern, "u");

/** Rule SSO13. */
function emailOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const email = value.replace(/^ +| +$/g, "");
  return email.length <= 254 && pattern.test(email) && isPrintable(email) ? email : null;
}

const nameOf = (value: unknown): string | null =>
  typeof value === "string" ? (nameFrom(value, 200) ?? null) : null;

function groupsOf(value: unknown): string[] | null {
  const groups: unknown = typeof value === "string" ? [value] : value;
  if (!Array.isArray(groups)) return null;
  return groups
    .filter((group) => typeof group === "string" && isPrintable(group))
    .slice(0, limits.groupsReadMax);
}

/** The first rule that matches, else the default. */
export function roleFor(
  groups: readonly string[] | null,
  { role_rules }: Pick<ConnectionRow, "role_rules">,
  defaultRole: string,
): Role {
  const rule = role_rules.find(({ group }) => groups?.includes(group));
  return (rule?.role ?? defaultRole) as Role;
}
