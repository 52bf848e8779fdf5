// Which models a caller may use: all of them, unless the roles of a managed member name some.
import { forbidden, type Failure } from "../../kernel/base/failure.ts";
import type { Principal } from "../../kernel/context.ts";
import { simulatorLast, type Catalog } from "./catalog/catalog.ts";
import type { Model } from "./types.ts";

/** Rule GRP16. */
export const mayUse = ({ models }: Pick<Principal, "models">, { id }: Model): boolean =>
  models === undefined || models.has(id);

export const noAccess = (field: string, { id }: Model): Failure =>
  forbidden(
    `${field}: your roles give no access to the model ${id}. GET /v1/models lists those that you may use; an owner of the organization can add ${id} to a role of yours.`,
  );

const namedMax = 8;

/** For a sentence that says which there are: active ones that the caller may use. */
export function namesOfUsable(catalog: Catalog, who: Pick<Principal, "models">): string {
  const models = catalog.list().filter((model) => mayUse(who, model));
  const active = simulatorLast(models.filter(({ lifecycle }) => lifecycle === "active"));
  const more = active.length - namedMax;
  const named = active.slice(0, namedMax).map(({ id }) => id);
  if (more > 0) named.push(`and ${more} more`);
  return named.length === 0 ? "none for you" : named.join(", ");
}
