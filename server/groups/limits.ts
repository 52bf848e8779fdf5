// Limits of groups and roles.

export const limits = {
  nameCharactersMax: 200,
  descriptionCharactersMax: 1000,
  pageItemsMax: 1000,
  groupsPerOrganizationMax: 20_000,
  rolesPerOrganizationMax: 500,
  rolesPerGroupMax: 50,
  actionsPerRoleMax: 200,
  /** Of the groups that have a role. */
  holdersShown: 50,
  /** So long a reading of roles may take beside what was asked for. */
  rolesReadMsMax: 1_000,
} as const;
