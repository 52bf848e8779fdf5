// The face of what an identity provider controls. Members and groups ask it what they may do, so nothing here asks
// them: what lets people in by a provider stands above all three.
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
export { providerRoutes } from "./routes-provider.ts";
export { domainsSection } from "./settings.ts";
