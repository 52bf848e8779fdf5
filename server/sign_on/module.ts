// The face of signing on by an identity provider, and of what that provider controls.
export { blockedBy, controlOf, type Control } from "./control.ts";
export { captureOf, domainOf, domainsOf, expectInvitable, type Domains } from "./domains.ts";
export { endJit, setProvider } from "./provider.ts";
