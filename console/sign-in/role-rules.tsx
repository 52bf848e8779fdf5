// Which role a group of the provider gives: the first that fits counts.
import { Plus, X } from "lucide-react";
import { spaced } from "../kit/value/words.ts";
import { FilterSelect } from "../kit/form/select.tsx";
import { Button, IconButton } from "../kit/page/button.tsx";

export interface Rule {
  group: string;
  role: string;
}

export const emptyRule: Rule = { group: "", role: "user" };
const rulesMax = 100;

export function RoleRules({
  rules,
  roles,
  onChange,
}: {
  rules: Rule[];
  roles: readonly string[];
  onChange: (rules: Rule[]) => void;
}) {
  const change = (at: number, patch: Partial<Rule>) =>
    onChange(rules.map((rule, place) => (place === at ? { ...rule, ...patch } : rule)));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm text-soft">
        The first group that a person has counts; without one, the role above.
      </legend>
      {rules.map(({ group, role }, at) => (
        <div key={at} className="flex flex-wrap items-center gap-2">
          <input
            aria-label={`Group ${at + 1}`}
            placeholder="Group, as the provider sends it"
            className="min-h-8 min-w-0 flex-1 basis-60 rounded-md border border-line-strong bg-surface px-2.5 text-ink max-md:min-h-10"
            value={group}
            maxLength={300}
            onChange={({ target }) => change(at, { group: target.value })}
          />
          <FilterSelect
            label={`Role ${at + 1}`}
            value={role}
            choices={roles.map((each) => ({ value: each, label: spaced(each) }))}
            onChange={(next) => change(at, { role: next })}
          />
          <IconButton
            label={`Remove rule ${at + 1}`}
            onClick={() => onChange(rules.filter((_, place) => place !== at))}
          >
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
      <div>
        <Button disabled={rules.length >= rulesMax} onClick={() => onChange([...rules, emptyRule])}>
          <Plus size={16} aria-hidden />
          Add a rule
        </Button>
      </div>
    </fieldset>
  );
}
