// The numbers of deployments.

export const limits = {
  nameCharactersMax: 256,
  descriptionCharactersMax: 2_048,
  initialEventsMax: 50,
  resourcesMax: 500,
  vaultsMax: 50,
  idCharactersMax: 100,
  /** Of a schedule, shown with its deployment. */
  upcomingMax: 5,
  cronCharactersMax: 256,
  timeZoneCharactersMax: 100,
  /** Archived ones not counted. */
  deploymentsPerWorkspace: 10_000,
  /** A process looks so often for what is due, takes so many at a time, and fires so many at once. */
  lookMs: 1_000,
  dueTogetherMax: 100,
  firedAtOnce: 4,
  /** An occurrence whose firing breaks is tried again for so long, before its run says so. */
  brokenMs: 30_000,
  /** After downtime the latest occurrence runs if it is no older; the settings may say another number. */
  catchUpMinutes: 60,
  /** Missed occurrences are counted up to here, and so many stretches of them are kept of a deployment. */
  missedCountedMax: 10_000,
  missedKeptMax: 100,
  historyPageMax: 100,
} as const;
