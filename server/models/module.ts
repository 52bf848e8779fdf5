// The face of models.
export * from "./types.ts";
export { mayUse, noAccess } from "./access.ts";
export { ownFirst, type Catalog } from "./catalog/catalog.ts";
export { catalogOf, settingsOf, type LiveCatalog } from "./catalog/process-catalog.ts";
export { routes } from "./routes.ts";
export { namedLines, withNamedUpstream } from "./discovery/single-upstream.ts";
export { expectWhole, readModelSettings, sections, type ModelSettings } from "./catalog/settings.ts";
export { ignoredHeaders, ignoresEffort, ignoresThinking, withoutIgnored } from "./ignores.ts";
export { passesUnknown, unknownNames } from "./messages/pass-through.ts";
export { availableTools, changeOf, type Tool } from "./tools.ts";
export { accumulate, frame, type Accumulator } from "./frame.ts";
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
