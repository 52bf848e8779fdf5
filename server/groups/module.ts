// The face of groups and custom roles.
export { accessOfMember, modelsOfPerson, personModelsPart, type Access } from "./roles/access.ts";
export { createGroup, deleteGroup, lockGroup, renameGroup, type NewGroup } from "./groups.ts";
export {
  addMembers,
  expectGroups,
  joinGroups,
  leaveAllGroups,
  removeMembers,
  type GroupsToJoin,
} from "./members.ts";
export { routes } from "./routes.ts";
export { findGroup, listGroups, listGroupsOf, listMembers, type GroupRow } from "./queries.ts";
export { searchables } from "./found/queries.ts";
