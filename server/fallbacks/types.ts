// The types of models that fallbacks use, from one place.
import type { Model } from "../models/module.ts";

export { noTokens } from "../models/module.ts";

export type {
  Block,
  MessageBody,
  Model,
  RefusalCategory,
  TokenCounts,
  Turn,
  Usage,
} from "../models/module.ts";

/** Of the catalog only this: names and aliases to models. */
export interface ModelResolver {
  resolve(name: string): Model | undefined;
}
