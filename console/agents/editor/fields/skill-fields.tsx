// The skills of an agent, chosen from the workspace's. Each is kept at the version that it has when it is saved.
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { SelectField } from "../../../kit/form/select.tsx";
import { Button, IconButton } from "../../../kit/page/button.tsx";
import { useMe } from "../../../kit/server/queries.ts";
import { skillQueries } from "../../../skills/skill-queries.ts";
import { limits } from "../../agents.ts";
import type { Workspace } from "../../agent-queries.ts";
import type { SkillDraft } from "../draft.ts";
import type { FaultsAt } from "./tool-fields.tsx";

interface Props {
  workspace: Workspace;
  skills: SkillDraft[];
  faults: FaultsAt;
  onChange: (skills: SkillDraft[]) => void;
}

export function SkillFields({ workspace, skills, faults, onChange }: Props) {
  const maySee = useMe().permissions.includes("skills:use");
  const { data = [] } = useQuery({ ...skillQueries.all(workspace), enabled: maySee });
  const left = data.filter(({ id }) => skills.every(({ skill_id: taken }) => taken !== id));
  const fault = faults.within("skills");
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-medium">Skills</legend>
      {skills.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {skills.map((skill, at) => (
            <Chosen
              key={skill.skill_id}
              skill={skill}
              known={data.find(({ id }) => id === skill.skill_id)}
              onRenew={() =>
                onChange(
                  skills.map(({ version, ...each }, place) =>
                    place === at ? each : { ...each, ...(version != null && { version }) },
                  ),
                )
              }
              onRemove={() => onChange(skills.filter((_, place) => place !== at))}
            />
          ))}
        </ul>
      )}
      {maySee && left.length > 0 && skills.length < limits.skillsMax && (
        <SelectField
          label="Add a skill"
          value=""
          choices={[
            { value: "", label: "Choose one" },
            ...left.map(({ id, display_name: name }) => ({ value: id, label: name })),
          ]}
          onChange={(id) => {
            if (id !== "") onChange([...skills, { type: "custom", skill_id: id }]);
          }}
        />
      )}
      {maySee && data.length === 0 && (
        <p className="text-sm text-soft">
          This workspace has none yet: the page Skills takes folders of files that agents read when
          they need them.
        </p>
      )}
      {fault !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

function Chosen({
  skill: { skill_id: id, version },
  known,
  onRenew,
  onRemove,
}: {
  skill: SkillDraft;
  known: { display_name: string; latest_version_id: string } | undefined;
  onRenew: () => void;
  onRemove: () => void;
}) {
  const name = known?.display_name ?? id;
  const isNewest = version == null || version === "latest" || version === known?.latest_version_id;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 pr-1.5 pl-3">
      <span className="min-w-0 flex-1 basis-40 font-medium wrap-anywhere">{name}</span>
      <span className="text-sm text-soft">
        {isNewest ? "The newest version" : "An older version"}
      </span>
      {!isNewest && known !== undefined && <Button onClick={onRenew}>Take the newest</Button>}
      <IconButton label={`Remove ${name}`} onClick={onRemove}>
        <X size={16} aria-hidden />
      </IconButton>
    </li>
  );
}
