// Routes of skills.
import { multipart } from "../../kernel/http/input/multipart.ts";
import { route } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";
import * as versions from "./versions.ts";

const permission = "skills:use";
const skill = "/v1/skills/{skill_id}";
const version = `${skill}/versions/{version}`;
const files = ["files[]", "files"] as const;
const formOf = (fields: readonly string[]) => ({
  body: multipart({
    fileBytesMax: limits.folderBytesMax,
    filesMax: limits.filesMax,
    fieldBytesMax: limits.fieldBytesMax,
    fields: [...files, ...fields],
    files,
    filenames: "given",
  }),
  bodyBytesMax: limits.formBytesMax,
});

export const routes = [
  route({
    operation: "skills.create",
    method: "POST",
    path: "/v1/skills",
    summary: "Makes a skill of a folder's files, or of one zip or tar of them.",
    permission,
    ...formOf(["display_name"]),
    reply: schema.Skill,
    handle: (context, { body }) => service.createSkill(context, body),
  }),
  route({
    operation: "skills.list",
    method: "GET",
    path: "/v1/skills",
    summary: "Lists the workspace's skills, newest first.",
    permission,
    query: schema.SkillQuery,
    reply: schema.SkillPage,
    handle: (context, { query }) => service.listSkills(context, query),
  }),
  route({
    operation: "skills.retrieve",
    method: "GET",
    path: skill,
    summary: "One skill.",
    permission,
    params: schema.SkillParams,
    reply: schema.Skill,
    handle: (context, { params }) => service.retrieveSkill(context, params.skill_id),
  }),
  route({
    operation: "skills.delete",
    method: "DELETE",
    path: skill,
    summary: "Deletes a skill with all its versions.",
    permission,
    params: schema.SkillParams,
    reply: schema.DeletedSkill,
    handle: (context, { params }) => service.deleteSkill(context, params.skill_id),
  }),
  route({
    operation: "skills.versions.create",
    method: "POST",
    path: `${skill}/versions`,
    summary: "Makes another version of a skill, which is the latest from then on.",
    permission,
    params: schema.SkillParams,
    ...formOf([]),
    reply: schema.SkillVersion,
    handle: (context, { params, body }) => versions.createVersion(context, params.skill_id, body),
  }),
  route({
    operation: "skills.versions.list",
    method: "GET",
    path: `${skill}/versions`,
    summary: "Lists the versions of a skill, newest first.",
    permission,
    params: schema.SkillParams,
    query: schema.VersionQuery,
    reply: schema.SkillVersionPage,
    handle: (context, { params, query }) => versions.listVersions(context, params.skill_id, query),
  }),
  route({
    operation: "skills.versions.retrieve",
    method: "GET",
    path: version,
    summary: "One version of a skill, by its id or as latest.",
    permission,
    alsoCredentials: ["environment_key", "session_token"],
    params: schema.VersionParams,
    reply: schema.SkillVersion,
    handle: (context, { params }) =>
      versions.retrieveVersion(context, params.skill_id, params.version),
  }),
  route({
    operation: "skills.versions.download",
    method: "GET",
    path: `${version}/content`,
    summary: "A zip of a version's files, in one folder with the skill's name.",
    permission,
    alsoCredentials: ["environment_key", "session_token"],
    params: schema.VersionParams,
    reply: "bytes",
    handle: (context, { params }) =>
      versions.downloadVersion(context, params.skill_id, params.version),
  }),
  route({
    operation: "skills.versions.delete",
    method: "DELETE",
    path: version,
    summary: "Deletes a version of a skill; the only one goes with its skill alone.",
    permission,
    params: schema.VersionParams,
    reply: schema.DeletedSkillVersion,
    handle: (context, { params }) =>
      versions.deleteVersion(context, params.skill_id, params.version),
  }),
];
