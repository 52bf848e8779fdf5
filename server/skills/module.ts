// The face of skills.
export { uploadsPart } from "./folder/receive.ts";
export { kinds, schedules } from "./jobs.ts";
export { findGoneSkill, resolveSkills, type ResolvedSkill, type SkillRef } from "./resolve.ts";
export { routes } from "./routes.ts";
export { skillsSection } from "./settings.ts";
export { readSkillFolder } from "./versions.ts";
export { searchables } from "./found/queries.ts";
