// From the name in a body to the model that answers, or the sentence that says which there are.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Principal } from "../../../kernel/context.ts";
import { mayUse, noAccess, simulatorLast, type Catalog, type Model } from "../../models/module.ts";
import { modelNameOf } from "../validate/body.ts";

/** Retired models answer no request, and count no tokens. */
export function resolveModel(
  catalog: Catalog,
  value: unknown,
  who: Pick<Principal, "models">,
): Model {
  const name = modelNameOf(value);
  const model = catalog.resolve(name);
  if (model === undefined || model.lifecycle === "retired")
    throw noModel(
      name,
      catalog.list().filter((other) => mayUse(who, other)),
    );
  if (!mayUse(who, model)) throw noAccess("model", model);
  return model;
}

const namedMax = 8;

function noModel(name: string, models: readonly Model[]): Failure {
  const active = simulatorLast(models.filter(({ lifecycle }) => lifecycle === "active"));
  const more = active.length - namedMax;
  const named = active.slice(0, namedMax).map(({ id }) => id);
  if (more > 0) named.push(`and ${more} more`);
  const has = named.length === 0 ? "none for you" : named.join(", ");
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  return new Failure("not_found_error", `There is no model ${shown}; this server has ${has}.`);
}
