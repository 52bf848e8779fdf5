// Limits of organizations.

export const limits = {
  nameCharactersMax: 200,
  /** For one organization, in any 60 seconds and in any hour, unless the settings file says otherwise. */
  requestsPerMinute: 100,
  invitesPerHour: 1_200,
  /** For its keys that may administer nothing, in any 60 seconds and in each process: all they get is 403. */
  refusedPerMinute: 20,
  /** The most that the settings file may set either to: the times of all these admissions are kept in one row. */
  budgetRequestsMax: 10_000,
  /** Per process: organizations with a spent budget that it remembers without asking the database. */
  budgetsRememberedMax: 10_000,
  /** Rule ORG9: of the 20 connections of a process. */
  changesAtOnce: 4,
} as const;
