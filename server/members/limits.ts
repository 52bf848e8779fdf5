// Limits of members.

export const limits = {
  /** Pages over ids: more is refused. */
  pageItemsMax: 1000,
  /** Members and pending invites together, unless the settings file says otherwise. */
  membersPerOrganizationMax: 200_000,
  inviteMs: 21 * 24 * 60 * 60 * 1000,
  groupsPerInviteMax: 100,
  seatTiersMax: 20,
  seatsMax: 10_000_000,
  tierNameCharactersMax: 100,
  peopleAskedMax: 100,
  searchItemsMax: 50,
} as const;
