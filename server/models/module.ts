// The face of models.
export * from "./types.ts";
export { mayUse, namesOfUsable, noAccess } from "./access.ts";
export type { Catalog } from "./catalog/catalog.ts";
export {
  catalogOf,
  catalogPart,
  modelSettingsOf,
  type ProcessCatalog,
} from "./catalog/process-catalog.ts";
export { routes } from "./routes.ts";
export { secretContext as upstreamContext } from "./catalog/process-catalog.ts";
export { singleUpstreamLines, withSingleUpstream } from "./discovery/single-upstream.ts";
export {
  expectConsistentModels,
  readModelSettings,
  sections,
  type ModelSettings,
} from "./catalog/settings.ts";
export {
  ignoredHeaders,
  ignoresEffort,
  ignoresThinking,
  withoutIgnored,
} from "./messages/ignores.ts";
export { passesTool, passesUnknown, unknownNamePattern } from "./messages/pass-through.ts";
export { availableTools, toolChangeOf, type Tool } from "./tools.ts";
export { accumulate, asWireEvent, type Accumulator } from "./stream-events.ts";
export {
  piecesOfText,
  tokensOfBytes,
  tokensWritten,
  tokensOfBlock,
  tokensOfBody,
  tokensOfContent,
  tokensOfJson,
  tokensOfText,
} from "./tokens.ts";
export { searchables } from "./catalog/found.ts";
