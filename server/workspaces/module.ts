// The face of workspaces.
export { archiveWorkspace, createDefaultWorkspace, lockOpenWorkspace } from "./service.ts";
export {
  changeKey,
  hearChanges,
  tellChanges,
  type ChangingList,
  type WorkspaceChange,
} from "./changes.ts";
export { isKnownPerson } from "./members/queries.ts";
export { findWorkspace, listWorkspaces, lockOrganization } from "./queries.ts";
export { workspaceUsePermissions, findUsableWorkspace, workspaceOf } from "./usable-workspace.ts";
export {
  expectMayManageWorkspaces,
  expectVisibleWorkspace,
  keyReachOf,
  mayManageWorkspaces,
  visibleWorkspaceIds,
  workspaceAccessOf,
  usageReachOf,
  type KeyReach,
} from "./members/reach.ts";
export { expectAllowedGeo } from "./residency.ts";
export { forConsoleByRole, routes } from "./routes.ts";
export { UsableWorkspace, Workspace, WorkspaceParams } from "./schema.ts";
export { searchables } from "./found/queries.ts";
