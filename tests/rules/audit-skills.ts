// The changes of skills that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { folder, skillsOf, type Skill } from "./skills-house.ts";

/** The house is there when they are made ready. */
export function skillChanges(houseOf: () => House): Record<string, AuditedChange> {
  const skills = skillsOf(houseOf);
  const state = async (tenant: Tenant) => {
    const who = { key: tenant.api_key };
    const all = await skills.all<Skill>("", {}, who);
    const versions = await Promise.all(all.map(({ id }) => skills.all(`/${id}/versions`, {}, who)));
    return [all, versions, await skills.stored(tenant), await skills.kept()];
  };
  const more = folder({ "pdf-forms/a": "a" });
  return {
    "skills.create": {
      action: "skill.created",
      prepare: async ({ api_key: key }) => {
        return () => skills.tryUpload(folder(), {}, { key });
      },
      state,
    },
    "skills.delete": {
      action: "skill.deleted",
      prepare: async ({ api_key: key }) => {
        const { id } = await skills.upload(folder(), {}, { key });
        return () => skills.call("DELETE", `/${id}`, { key });
      },
      state,
    },
    "skills.versions.create": {
      action: "skill_version.created",
      prepare: async ({ api_key: key }) => {
        const { id } = await skills.upload(folder(), {}, { key });
        return () => skills.tryVersion(id, more, { key });
      },
      state,
    },
    "skills.versions.delete": {
      action: "skill_version.deleted",
      prepare: async ({ api_key: key }) => {
        const { id } = await skills.upload(folder(), {}, { key });
        const { id: version } = await skills.addVersion(id, more, { key });
        return () => skills.call("DELETE", `/${id}/versions/${version}`, { key });
      },
      state,
    },
  };
}
