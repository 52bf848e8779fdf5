// The face of models.
export * from "./types.ts";
export { mayUse, noAccess } from "./access.ts";
export type { Catalog } from "./catalog.ts";
export { catalogOf, type LiveCatalog } from "./live.ts";
export { routes } from "./routes.ts";
export { withNamedUpstream } from "./named.ts";
export { readModelSettings, sections, type ModelSettings } from "./settings.ts";
export { availableTools, changeOf, type Tool } from "./tools.ts";
export { accumulate, frame, type Accumulator } from "./frame.ts";
export {
  piecesOfText,
  tokensOfBlock,
  tokensOfBody,
  tokensOfContent,
  tokensOfJson,
  tokensOfText,
} from "./tokens.ts";
