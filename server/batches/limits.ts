// Limits of message batches.

export const limits = {
  requestsMax: 100_000,
  bodyBytesMax: 268_435_456,
  customIdCharactersMax: 64,
  /** Objects and arrays within each other, the body itself included; requests are held to less when they run. */
  depthMax: 10_000,
  /** Of a field name or a custom_id as it stands in the body: 64 letters, each written \u0061, take 384. */
  heldBytesMax: 512,
  /** What is shown of the name of a field that is not known. */
  foundCharactersMax: 40,
} as const;
