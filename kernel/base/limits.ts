// Limits that belong to no single noun. Each has one name, unit last.

export const limits = {
  /** Objects and arrays within each other, wherever a client's JSON is read: a later walk over it may recurse. */
  jsonDepthMax: 128,
  /** A JSON body, where the route names no limit of its own. */
  bodyBytesMax: 1024 * 1024,
  /** The longest list page, where the contract names no maximum: larger values are clamped. */
  pageItemsMax: 100,
  pageItemsDefault: 20,
  /** Metadata, whatever it hangs on. */
  metadataPairsMax: 16,
  metadataKeyCharactersMax: 64,
  metadataValueCharactersMax: 512,
  /** Headers: bytes together (node:http), and how many. */
  headerBytesMax: 64 * 1024,
  headersMax: 200,
  /** A client has this long to send its headers, and then its body without a pause. */
  headersTimeoutMs: 20_000,
  bodyIdleTimeoutMs: 20_000,
} as const;
