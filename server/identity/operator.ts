// What belongs to the whole installation is changed by the administrators of one organization only.
import { forbidden } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import * as queries from "./queries.ts";

export const isOperator = async ({ db, who }: Context): Promise<boolean> =>
  (await queries.findOperatorOrganization(db)) === who.organizationId;

/** Rule MDL14. One tenant's administrator must not change the models of all tenants, or point the server anywhere. */
export async function expectOperator(context: Context): Promise<void> {
  if (await isOperator(context)) return;
  throw forbidden(
    "Models and upstreams belong to the whole installation: only administrators of its first organization may look at and change them. The operator can also set them in plinth.config.json.",
  );
}
