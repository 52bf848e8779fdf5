// The face of workspaces.
export { archiveIn, createDefaultWorkspace, holdWorkspace } from "./service.ts";
export { isKnownPerson } from "./members/queries.ts";
export { findWorkspace, listWorkspaces, lockOrganization } from "./queries.ts";
export { uses, findUsable, workspaceOf } from "./usable-workspace.ts";
export {
  expectKnown,
  keyReachOf,
  knownTo,
  standingOf,
  usageReachOf,
  type KeyReach,
} from "./members/reach.ts";
export { expectAllowedGeo } from "./residency.ts";
export { forPeople, routes } from "./routes.ts";
export { UsableWorkspace, Workspace, WorkspaceParams } from "./schema.ts";
