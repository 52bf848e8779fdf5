// The rules by which alerts fire, and the way to change their numbers.
import { buttonColumn, nameColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Section } from "../kit/page/page-header.tsx";
import type { AlertRule } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { kindNotes, kindWords, ruleWords } from "./alerts.ts";
import { alertQueries } from "./queries.ts";
import { changeRule } from "./rule-form.tsx";

export function Rules() {
  const mayChange = useMe().permissions.includes("limits:write");
  return (
    <Section title="Rules" note="They hold for the organization, from the next look on.">
      <ListView
        label="Rules"
        list={useWholeList(alertQueries.rules)}
        columns={mayChange ? [...columns, acts] : columns}
        keyOf={({ kind }) => kind}
        empty={{}}
      />
    </Section>
  );
}

const columns: Column<AlertRule>[] = [
  nameColumn<AlertRule>({
    title: "Rule",
    name: ({ kind }) => kindWords[kind],
    below: ({ kind }) => kindNotes[kind],
  }),
  { title: "Fires", cell: ruleWords },
  {
    title: "State",
    cell: ({ enabled, is_default }) => (
      <Badge tone={enabled ? "good" : "neutral"}>
        {!enabled ? "Off" : is_default ? "On, as by default" : "On, changed"}
      </Badge>
    ),
  },
];

const acts = buttonColumn<AlertRule>(
  ({ kind }) => `the rule ${kindWords[kind]}`,
  (rule) => [{ label: "Change", run: () => changeRule(rule) }],
);
