// Changing and archiving a service account: what can be done, and what is said before.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Archive, Pencil } from "lucide-react";
import { federationQueries, forgetFederation, type Account } from "../federation/federation.ts";
import { Confirmation, Named } from "../kit/dialog/confirmation.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { server } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { editAccount } from "./service-account-form.tsx";

export function accountActs(account: Account): MenuAct[] {
  if (account.archived_at !== null) return [];
  return [
    { label: "Edit", icon: Pencil, run: () => editAccount(account), button: "plain" },
    { label: "Archive", icon: Archive, run: () => archive(account), isBad: true },
  ];
}

const archive = (account: Account) =>
  openDialog({
    title: "Archive this service account for ever?",
    body: <ArchiveQuestion of={account} />,
  });

/** A question that reads first whether rules give the account tokens. */
function ArchiveQuestion({ of: { id, name } }: { of: Account }) {
  const maySeeRules = useMe().permissions.includes("federation:read");
  const rules = useQuery({ ...federationQueries.rulesOf(id), enabled: maySeeRules });
  const targeting = rules.data ?? [];
  return (
    <Confirmation
      question={{
        label: "Archive service account",
        keep: "Keep it",
        isReady: targeting.length === 0 && !(maySeeRules && rules.isPending),
        run: () => server.service_accounts.archive({ params: { service_account_id: id } }),
        done: `${name} is archived`,
        renew: forgetFederation,
        children:
          targeting.length > 0 ? (
            <>
              <p>
                <Named>{name}</Named> cannot be archived while rules give it tokens. Archive these
                first:
              </p>
              <ul className="grid gap-1">
                {targeting.map((rule) => (
                  <li key={rule.id}>
                    <Link
                      to="/federation/$id"
                      params={{ id: rule.id }}
                      className="text-accent underline underline-offset-2 wrap-anywhere"
                    >
                      {rule.name}
                    </Link>
                  </li>
                ))}
              </ul>
            </>
          ) : (
            <p>
              Every token of <Named>{name}</Named> ends at once, and what runs with one is refused
              from its next request on. It leaves its workspaces. What it did stays under its name;
              an archived account does not come back.
            </p>
          ),
      }}
    />
  );
}
