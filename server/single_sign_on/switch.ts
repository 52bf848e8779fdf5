// Switches single sign-on on and off, and requires it, without locking the organization out.
import { invalid } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as identity from "../identity/module.ts";
import * as keys from "../keys/module.ts";
import { connectionOrThrow, readConnection, recordConnectionEvent } from "./connection.ts";
import * as identities from "./provider_sign_in/queries.ts";
import * as queries from "./queries.ts";
import type { SwitchSingleSignOn } from "./schema.ts";

/** Rules SSO10 and SSO11. */
export async function switchSingleSignOn(
  context: Context,
  { enabled, required }: SwitchSingleSignOn,
) {
  await identity.expectProof(context);
  const { organizationId } = context.who;
  await context.db.tx(async (tx) => {
    await queries.lockOrganization(tx, organizationId);
    const before = await connectionOrThrow(tx, organizationId);
    const after = { enabled: enabled ?? before.enabled, required: required ?? before.required };
    if (after.enabled && !before.enabled && before.test_passed !== true)
      throw invalid("enabled: test the connection first; the test of these settings must pass.");
    if (after.required && !after.enabled)
      throw invalid(
        before.required
          ? "enabled: single sign-on is required. Stop requiring it first."
          : "required: switch single sign-on on first.",
      );
    if (after.required && !before.required) await expectWayIn(tx, context, before);
    await queries.setEnabled(tx, organizationId, after.enabled);
    await queries.setRequired(tx, organizationId, after.required);
    const ended =
      after.required && !before.required ? await endLocal(tx, context, organizationId) : 0;
    await recordConnectionEvent(tx, context, "single_sign_on.switched", {
      ...after,
      sign_ins_ended: ended,
    });
  });
  return readConnection(context);
}

/** The owner who requires it must be able to sign in by it. */
async function expectWayIn(
  tx: Tx,
  { who }: Context,
  { issuer }: queries.ConnectionRow,
): Promise<void> {
  const user = await identity.userOrThrow(tx, who.organizationId, who.userId ?? "");
  if (identity.keepsLocalSignIn(user)) return;
  if (await identities.isLinked(tx, who.organizationId, user.id, issuer)) return;
  throw invalid(
    "required: you would lock yourself out. Sign in by single sign-on once, or be marked as a break-glass owner, then require it.",
  );
}

async function endLocal(tx: Tx, context: Context, organizationId: string): Promise<number> {
  const ended = await queries.endLocalSignIns(tx, organizationId);
  if (ended.length > 0) await keys.verdictsOf(context).revoke(tx);
  return ended.length;
}
