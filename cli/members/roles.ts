// The roles of members, as they are written on the command line.
import type { User } from "../../contract/types.ts";
import { knowing, oneOf } from "../options.ts";

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

export const roleOf = knowing(roles, (text): Role => oneOf(roles)(text.replaceAll("-", "_")));
