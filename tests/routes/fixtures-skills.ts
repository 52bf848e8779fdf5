// How to make what the routes of skills name.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

const formWith = (text: string) => {
  const form = new FormData();
  const document = `---\nname: notes\ndescription: Takes notes.\n---\n${text}`;
  form.append("files[]", new Blob([document]), "notes/SKILL.md");
  return form;
};
const path = "/v1/skills";
const post = async (tenant: Tenant, path: string, text: string) =>
  (await tenant.console("POST", path, formWith(text))) as { id: string };
const skillIn = async (tenant: Tenant) => ({ skill_id: (await post(tenant, path, "one")).id });
/** The first of two, so that it may be deleted. */
const versionIn = async (tenant: Tenant) => {
  const { skill_id } = await skillIn(tenant);
  const { id } = await post(tenant, `${path}/${skill_id}/versions`, "two");
  return { skill_id, version: id };
};

export const skillFixtures: Readonly<Record<string, Fixture>> = {
  "skills.create": { body: () => formWith("one") },
  "skills.list": {
    items: async (tenant) => {
      await skillIn(tenant);
      await skillIn(tenant);
    },
  },
  "skills.retrieve": { params: skillIn },
  "skills.delete": { params: skillIn },
  "skills.versions.create": { params: skillIn, body: () => formWith("two") },
  "skills.versions.list": {
    params: async (tenant) => {
      const { skill_id } = await versionIn(tenant);
      return { skill_id };
    },
    items: async () => {},
  },
  "skills.versions.retrieve": { params: versionIn },
  "skills.versions.download": { params: versionIn },
  "skills.versions.delete": { params: versionIn },
};
