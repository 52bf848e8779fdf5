// Whether the provider may write: SCIM is switched on in the console, for people and for groups separately.
import { forbidden } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as identityProvider from "../identity_provider/module.ts";

/** Rule SCM15. Reads always work: the provider tests the connection first. */
export async function expectSwitchedOn(
  tx: Tx,
  { who }: Context,
): Promise<identityProvider.ProviderControl> {
  const control = await identityProvider.providerControlOf(tx, who.organizationId);
  if (control.provisioning !== "scim")
    throw forbidden(
      "SCIM is not switched on in this organization: an owner does it in the console, on the page SCIM.",
    );
  return control;
}

export async function expectGroupsSwitchedOn(tx: Tx, context: Context): Promise<void> {
  const control = await expectSwitchedOn(tx, context);
  if (!control.controlsGroups)
    throw forbidden(
      "Groups by SCIM are not switched on in this organization: an owner does it in the console, on the page SCIM.",
    );
}
