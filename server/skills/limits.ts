// Limits of skills.

export const limits = {
  displayNameCharactersMax: 255,
  /** A slug. */
  nameCharactersMax: 64,
  descriptionCharactersMax: 1_024,
  /** Of one folder: what is in its files, all together, and how many there are. */
  folderBytesMax: 30 * 1024 * 1024,
  filesMax: 500,
  pathBytesMax: 255,
  /** With the folder itself. */
  pathSegmentsMax: 10,
  frontMatterBytesMax: 16 * 1024,
  /** Of an archive: folders, and what operating systems hide beside files, among them. */
  archiveEntriesMax: 2_000,
  archiveRestBytesMax: 4 * 1024 * 1024,
  archiveFrameBytes: 4 * 1024,
  /** A form with as many files as there may be, each with its headers. */
  formBytesMax: 32 * 1024 * 1024,
  fieldBytesMax: 4 * 1024,
  /** A process holds an upload until it is packed: up to 90 MiB each. */
  uploadsAtOnceMax: 8,
  skillsPerWorkspace: 1_000,
  versionsPerSkill: 500,
  /** Packed, of an organization, where the settings say nothing. */
  organizationBytesMax: 10 * 1024 ** 3,
  /** A blob that is being written belongs to no row yet: for so long, blobs without one are left alone. */
  strayMs: 60 * 60 * 1000,
  sweptBlobsMax: 1_000,
  /** No upload can end while so many blobs are removed: 50 ms on a slow disk. */
  removedBlobsMax: 20,
  sweepEveryMs: 15 * 60 * 1000,
} as const;
