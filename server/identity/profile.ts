// A person's name and e-mail, as the identity provider reports them.
import { conflict } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { brokenConstraint, type Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as keys from "../keys/module.ts";
import { emailKey } from "./people.ts";
import { setName } from "./queries.ts";
import { setEmail } from "./queries-profile.ts";

export interface Profile {
  email?: string;
  name?: string;
}

/** Rule AUD1. Sign-ins show the name and are found by the address: processes forget what they remember of them. */
export async function updateProfile(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  organizationId: string,
  { id, ...profile }: Profile & { id: string },
): Promise<void> {
  const { email, name } = profile;
  if (name !== undefined) await setName(tx, organizationId, id, name);
  if (email !== undefined) {
    try {
      await setEmail(tx, organizationId, id, { email, emailKey: emailKey(email) });
    } catch (error) {
      if (brokenConstraint(error) === "users_email")
        throw conflict(`email: ${email} is another member's.`, { code: "already_member" });
      throw error;
    }
  }
  await keys.verdictsOf(world).revoke(tx);
  const target = { type: "user", id };
  const details = { ...profile };
  await audit.record(tx, world, actor, { organizationId, action: "user.updated", target, details });
}
