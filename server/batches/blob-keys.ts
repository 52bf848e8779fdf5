// What the files of a batch are called.

export const blobPrefix = "batches/";
export const requestsKey = (batchId: string) => `${blobPrefix}${batchId}/requests`;
export const segmentKey = (batchId: string, segment: number) =>
  `${blobPrefix}${batchId}/results-${segment}`;

export const resultsPath = (batchId: string) => `/v1/messages/batches/${batchId}/results`;

/** Hints go here when there is something to do: a new batch, or one that is to be canceled. */
export const batchesChannel = "batches";
