// Changing and archiving a rule.
import { Archive, Pencil } from "lucide-react";
import { confirm, Named } from "../../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../../kit/list/act-menu.tsx";
import { server } from "../../kit/server/api.ts";
import { forgetFederation, type Rule } from "../federation.ts";
import { editRule } from "./rule-form.tsx";

export function ruleActs(rule: Rule): MenuAct[] {
  if (rule.archived_at !== null) return [];
  return [
    { label: "Edit", icon: Pencil, run: () => editRule(rule), button: "plain" },
    { label: "Archive", icon: Archive, run: () => archive(rule), isBad: true },
  ];
}

const archive = ({ id, name }: Rule) =>
  confirm({
    title: "Archive this rule for ever?",
    label: "Archive rule",
    keep: "Keep it",
    run: () => server.federation_rules.archive({ params: { federation_rule_id: id } }),
    done: `${name} is archived`,
    renew: forgetFederation,
    children: (
      <p>
        <Named>{name}</Named> gives no more tokens from now on. Those that it gave live on to their
        end; to end them at once, archive the service account or take it out of its workspaces.
      </p>
    ),
  });
