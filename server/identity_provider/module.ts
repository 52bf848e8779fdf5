// The face of what an identity provider controls. Members and groups ask here whether they may change something, so
// nothing here imports them: single sign-on and SCIM, which provision people, stand above all three.
export {
  managedByProvider,
  providerControlOf,
  providerOf,
  type ProviderControl,
  type Provider,
} from "./control.ts";
export {
  organizationOfEmail,
  domainOf,
  domainsOf,
  expectInvitable,
  type OrganizationDomains,
} from "./domains.ts";
export { endJit, setProvider } from "./provider.ts";
export { routes } from "./routes.ts";
export { domainsSection } from "./settings.ts";
