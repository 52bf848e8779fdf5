// Limits of webhook endpoints and of what is delivered to them.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

export const limits = {
  /** In one organization, enabled or disabled. */
  endpointsPerOrganizationMax: 32,
  endpointsPerWorkspaceMax: 32,
  pageItemsMax: 1_000,
  nameCharactersMax: 100,
  descriptionCharactersMax: 1_000,
  urlCharactersMax: 2_000,
  secretBytes: 32,
  /** Rule WHK5: so long the one before signs too. */
  replacedSecretMs: 24 * hourMs,
  /** Rule WHK8: from the first look at the name to the status of the answer. */
  deliveryMs: 10 * secondMs,
  /** Rule WHK9: before the second attempt, the third, and so on; after the last of them it has failed. */
  pausesMs: [
    10 * secondMs,
    minuteMs,
    5 * minuteMs,
    30 * minuteMs,
    2 * hourMs,
    6 * hourMs,
    12 * hourMs,
  ],
  /** By one process. */
  deliveriesAtOnce: 64,
  /** Rule WHK19: of these, of one organization. */
  deliveriesOfOrganizationAtOnce: 8,
  /** Rule WHK22: so often a process looks whether audit logs have grown. */
  auditPollMs: secondMs,
  /** Events that become deliveries in one transaction, and endpoints that one look finds. */
  auditEventsAtOnce: 200,
  auditEndpointsAtOnce: 100,
  /** Of one endpoint. */
  testsWaitingMax: 10,
  deliveriesShown: 20,
  deliveriesKeptMs: 30 * 24 * hourMs,
  sweepEveryMs: hourMs,
  sweepRowsMax: 5_000,
} as const;

/** Of one event to one endpoint. */
export const attemptsMax = limits.pausesMs.length + 1;
