// What goes to an upstream of this wire beside the common fields.
import { invalid, type Failure } from "../../../kernel/base/failure.ts";
import type { MessageBody, Model } from "../types.ts";

const everything = "*";

/** Rule MDL18. Fields and betas that no rule here knows go as they came, but none that changes a price or the place. */
export const passesUnknown = ({ pass }: Model): boolean => pass.includes(everything);

/**
 * Names that no reader takes for a field of ours. Some upstreams, those written in Go, read `Content` as `content`, and
 * K (the sign for kelvin) as k: then another text would be judged here than the one that they read.
 */
export const unknownNamePattern = "^[a-z0-9_]*$";

export function passedBetas(model: Model, betas: ReadonlySet<string>): readonly string[] {
  if (betas.size === 0) return [];
  const all = [...betas];
  return passesUnknown(model) ? all : all.filter((beta) => model.pass.includes(beta));
}

/** They run at the caller, and change no price. */
const callerTool =
  /^(?:bash|text_editor|computer|memory)_\d{8}$|^(?:computer|browser)_toolset_\d{8}$/;

/** Rule MDL18, of a typed tool. */
export const passesTool = (model: Model, type: string): boolean =>
  model.pass.includes(type) || (passesUnknown(model) && callerTool.test(type));

/** Values that say what leaving the field out usually says; any other may have a price that is not known here. */
const usual = { speed: "standard", service_tier: "auto", inference_geo: "global" } as const;

/** Rule MDL18. */
export function priceProblem(model: Model, body: MessageBody): Failure | undefined {
  for (const [field, plain] of Object.entries(usual)) {
    const value = body[field] ?? plain;
    if (value !== plain && !model.pass.includes(field))
      return invalid(
        `${field}: ${model.id} takes ${JSON.stringify(plain)} only, because another may change the price or the place; leave it out, or let the operator add ${field} to what the model passes.`,
      );
  }
  return undefined;
}
