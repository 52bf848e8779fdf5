// The face of workspaces.
export { createDefaultWorkspace, holdWorkspace } from "./service.ts";
export { listWorkspaces } from "./queries.ts";
