// What belongs to the whole installation is changed by the administrators of one organization only.
import { forbidden } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import * as queries from "./queries.ts";

/** Rule MDL14. One tenant's administrator must not change everybody's models, or point the server anywhere. */
export async function expectOperator({ db, who }: Context): Promise<void> {
  if ((await queries.findOperatorOrganization(db)) === who.organizationId) return;
  throw forbidden(
    "Models and upstreams belong to the whole installation: only administrators of its first organization may look at and change them. The operator can also set them in plinth.config.json.",
  );
}
