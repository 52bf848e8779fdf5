// The words of models that fallbacks speak, from one place.
import type { Model } from "../models/types.ts";

export type {
  Block,
  MessageBody,
  Model,
  RefusalCategory,
  TokenCounts,
  Turn,
  Usage,
} from "../models/types.ts";

/** Of the catalog only this: names and aliases to models. */
export interface ModelNames {
  resolve(name: string): Model | undefined;
}
