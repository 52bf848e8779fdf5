// The face of workspaces.
export { createDefaultWorkspace, holdWorkspace } from "./service.ts";
export { findWorkspace, listWorkspaces } from "./queries.ts";
export { workspaceOf } from "./place.ts";
