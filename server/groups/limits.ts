// Limits of groups and roles.

export const limits = {
  nameCharactersMax: 200,
  descriptionCharactersMax: 1000,
  pageItemsMax: 1000,
  groupsPerOrganizationMax: 20_000,
  rolesPerOrganizationMax: 500,
  rolesPerGroupMax: 50,
  actionsPerRoleMax: 200,
  /** Groups shown for a role. */
  holdersShown: 50,
  /** How long reading roles may take when they come beside the requested objects. */
  rolesReadMsMax: 1_000,
} as const;
