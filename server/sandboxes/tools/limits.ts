// Numbers of the tools that agents have in their sandboxes.

export const toolLimits = {
  bashMsDefault: 120_000,
  bashMsMax: 3_600_000,
  /** Of what a command writes so many bytes are shown: the first ones and the last ones. */
  bashBytesMax: 100 * 1024,
  /** Read and thrown away beyond the shown ones, so that a command that writes more goes on. */
  bashReadBytesMax: 8 * 1024 * 1024,
  fileMs: 60_000,
  /** Of a text file, or of the lines of it that were asked for. */
  textBytesMax: 256 * 1024,
  /** As base64 within one event. */
  pictureBytesMax: 700_000,
  searchMs: 60_000,
  searchBytesMax: 100 * 1024,
  globFilesMax: 200,
  /** Longer lines are cut: one of them would fill the answer. */
  grepLineCharactersMax: 2_000,
  /** What one result may be as JSON: an event has an end, and control characters take six bytes each. */
  resultBytesMax: 900_000,
} as const;
