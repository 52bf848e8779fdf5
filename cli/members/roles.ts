// The roles of members, as they are written on the command line.
import { InvalidArgumentError } from "commander";
import type { User } from "../../contract/types.ts";

export type Role = User["role"];

const roles: readonly Role[] = [
  "user",
  "claude_code_user",
  "developer",
  "billing",
  "admin",
  "managed",
  "membership_admin",
  "owner",
  "primary_owner",
];

export function roleOf(text: string): Role {
  const role = roles.find((name) => name === text.replaceAll("-", "_"));
  if (role === undefined) throw new InvalidArgumentError(`It must be one of ${roles.join(", ")}.`);
  return role;
}
