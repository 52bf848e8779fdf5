// Limits of batches.

export const limits = {
  requestsMax: 100_000,
  bodyBytesMax: 268_435_456,
  customIdCharactersMax: 64,
  /** Objects and arrays within each other, the body itself included; requests are held to less when they run. */
  depthMax: 10_000,
  /** Of a field name or a custom_id as it stands in the body: 64 letters, each written \u0061, take 384. */
  heldBytesMax: 512,
  /** A list page, as the official client has it. */
  pageItemsMax: 1_000,
  expiryMs: 24 * 60 * 60 * 1000,
  retentionMs: 29 * 24 * 60 * 60 * 1000,
  /** What one process takes at a time: so much, or one request that is larger. */
  chunkRequestsMax: 100,
  chunksPerInsert: 50,
  /** Of params, written at once while a body comes in. */
  gatheredBytes: 512 * 1024,
  chunkBytesMax: 1024 * 1024,
  /** A request of its own; as large as `POST /v1/messages` takes it. */
  paramsBytesMax: 32 * 1024 * 1024,
  /** A result that is longer is not shown in a list, only downloaded. */
  shownBytesMax: 256 * 1024,
  /** Batches whose totals are asked for together: those of a list page. */
  totalsAskedMax: 100,
  /** What one pass of the sweep takes. */
  sweptBatchesMax: 20,
  sweptResultsMax: 20_000,
  sweptIdsMax: 1_000,
  /** A body that is being taken in belongs to no batch yet: for so long, files without a batch are left alone. */
  strayMs: 60 * 60 * 1000,
} as const;
