// Limits of an organization's identity provider and its e-mail domains.

export const limits = {
  providerNameCharactersMax: 200,
  domainsPerOrganizationMax: 100,
  domainCharactersMax: 253,
} as const;
