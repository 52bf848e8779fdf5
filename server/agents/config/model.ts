// The model of an agent: there, the caller's to use, and with an effort, a speed and a place that it takes.
import { invalid } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { effortProblem } from "../../messages/module.ts";
import {
  catalogOf,
  mayUse,
  namesOfUsable,
  noAccess,
  type Effort,
  type MessageBody,
  type Model,
} from "../../models/module.ts";
import { expectAllowedGeo } from "../../workspaces/module.ts";
import type { ModelConfig, ModelInput } from "./schema.ts";

/** Rule AGT11. `field` is where the name stands. */
export function usableModel(actor: Actor, name: string, field: string): Model {
  const catalog = catalogOf(actor).snapshot();
  const model = catalog.resolve(name);
  if (model === undefined || model.lifecycle === "retired")
    throw invalid(
      `${field}: there is no model ${JSON.stringify(name.slice(0, 100))}; this server has ${namesOfUsable(catalog, actor.who)}.`,
    );
  if (!mayUse(actor.who, model)) throw noAccess(field, model);
  return model;
}

/** Rules AGT12 and AGT13. `before` is what an update finds: its effort stays where none is named. */
export async function completeModel(
  actor: Actor,
  on: Queryable,
  given: ModelInput,
  before?: ModelConfig,
): Promise<ModelConfig> {
  const isName = typeof given === "string";
  const { id, effort, speed, inference_geo: geo } = isName ? { id: given } : given;
  const model = usableModel(actor, id, isName ? "model" : "model.id");
  const level = typeof effort === "object" && effort !== null ? effort.type : effort;
  const problem = effortProblem(level, ["model", "effort"], model);
  if (problem !== undefined) throw problem;
  const kept = level === undefined ? takenOf(model, before?.effort) : undefined;
  const chosen = level ?? kept ?? defaultEffort(model);
  const config: ModelConfig = {
    id,
    ...(chosen !== undefined && { effort: chosen }),
    speed: speed ?? "standard",
    ...(geo != null && { inference_geo: geo }),
  };
  expectSayable(actor, model, config);
  if (geo != null) await expectAllowedGeo(actor, geo, { on, field: "model.inference_geo" });
  return config;
}

/** Of a level that was chosen for another model, where this one takes it, too. */
const takenOf = ({ efforts }: Model, level: Effort | undefined) =>
  level !== undefined && efforts.includes(level) ? level : undefined;

/** A model that recommends none: `high`, as where an effort is left out of a message, else the most that it takes. */
const defaultEffort = ({ efforts, recommendedEffort }: Model): Effort | undefined =>
  recommendedEffort ?? (efforts.includes("high") ? "high" : efforts.at(-1));

/** What the model's upstream has no word for would be refused in every session. */
function expectSayable(actor: Actor, model: Model, { speed, inference_geo }: ModelConfig): void {
  const body: MessageBody = {
    model: model.id,
    max_tokens: 1,
    messages: [{ role: "user", content: "x" }],
    speed,
    ...(inference_geo !== undefined && { inference_geo }),
  };
  const problem = catalogOf(actor).adapterOf(model).problemOf?.(model, body);
  if (problem !== undefined) throw invalid(`model.${problem.message}`);
}

/** Rule AGT14. What has become of the model since is not told here. */
export function expectTakesTools(actor: Actor, name: string): void {
  const model = catalogOf(actor).resolve(name);
  if (model !== undefined && !model.tools)
    throw invalid(`tools: are not taken by ${model.id}; leave them out or use another model.`);
}
