// Limits of SCIM.

export const limits = {
  /** Items of one list. A page may hold fewer than requested, which the protocol allows. */
  itemsDefault: 100,
  itemsMax: 1000,
  /** Members in one page of groups: as many groups as fit, but one at least. */
  membersPerPageMax: 10_000,
  /** Members of one group, which is read whole. */
  membersReadMax: 200_000,
  /** 10,000 members with their names in one request are about 1.2 MB. */
  bodyBytesMax: 4 * 1024 * 1024,
  operationsMax: 1000,
  membersPerRequestMax: 20_000,
  filterCharactersMax: 2000,
  filterTermsMax: 32,
  /** A person's attributes that have no column. */
  documentBytesMax: 64 * 1024,
  userNameCharactersMax: 320,
  displayNameCharactersMax: 200,
  externalIdCharactersMax: 400,
  /** Two, while one is exchanged for the next. */
  tokensPerOrganizationMax: 2,
  tokenNameCharactersMax: 100,
  requestsKept: 100,
  /** For one organization on one process: requests at once, and how fast that allowance refills. */
  requestsAtOnceMax: 200,
  requestsPerSecond: 50,
  /** How many places of lists one process remembers. */
  pageStartsMax: 1000,
} as const;
