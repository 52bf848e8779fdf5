// Limits of workspaces and of their members.

export const limits = {
  nameCharactersMax: 200,
  /** Workspaces that are not archived, in one organization, the default one among them. */
  workspacesPerOrganizationMax: 1_000,
  membersPerWorkspaceMax: 10_000,
  tagsMax: 50,
  tagKeyCharactersMax: 64,
  tagValueCharactersMax: 256,
  pageItemsMax: 1_000,
  idsMax: 100,
  candidatesMax: 20,
} as const;
