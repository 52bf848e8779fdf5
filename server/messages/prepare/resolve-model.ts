// From the name in a body to the model that answers, or the sentence that says which there are.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Principal } from "../../../kernel/context.ts";
import { mayUse, namesOfUsable, noAccess, type Catalog, type Model } from "../../models/module.ts";
import { modelNameOf } from "../validate/body.ts";

/** Retired models answer no request, and count no tokens. */
export function resolveModel(
  catalog: Catalog,
  value: unknown,
  who: Pick<Principal, "models">,
): Model {
  const name = modelNameOf(value);
  const model = catalog.resolve(name);
  if (model === undefined || model.lifecycle === "retired") throw noModel(name, catalog, who);
  if (!mayUse(who, model)) throw noAccess("model", model);
  return model;
}

function noModel(name: string, catalog: Catalog, who: Pick<Principal, "models">): Failure {
  const has = namesOfUsable(catalog, who);
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  return new Failure("not_found_error", `There is no model ${shown}; this server has ${has}.`);
}
