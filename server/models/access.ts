// Which models a caller may use: all of them, unless the roles of a managed member name some.
import { forbidden, type Failure } from "../../kernel/base/failure.ts";
import type { Principal } from "../../kernel/context.ts";
import type { Model } from "./types.ts";

/** Rule GRP16. */
export const mayUse = ({ models }: Pick<Principal, "models">, { id }: Model): boolean =>
  models === undefined || models.has(id);

export const noAccess = (field: string, { id }: Model): Failure =>
  forbidden(
    `${field}: your roles give no access to the model ${id}. GET /v1/models lists those that you may use; an owner of the organization can add ${id} to a role of yours.`,
  );
