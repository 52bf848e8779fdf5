// Changing and archiving an issuer.
import { Archive, Pencil } from "lucide-react";
import { confirm, Named } from "../../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../../kit/list/act-menu.tsx";
import { server } from "../../kit/server/api.ts";
import { forgetFederation, type Issuer } from "../federation.ts";
import { editIssuer } from "./issuer-form.tsx";

export function issuerActs(issuer: Issuer): MenuAct[] {
  if (issuer.archived_at !== null) return [];
  return [
    { label: "Edit", icon: Pencil, run: () => editIssuer(issuer) },
    { label: "Archive", icon: Archive, run: () => archive(issuer), isBad: true },
  ];
}

const archive = ({ id, name }: Issuer) =>
  confirm({
    title: "Archive this issuer for ever?",
    label: "Archive issuer",
    keep: "Keep it",
    run: () => server.federation_issuers.archive({ params: { federation_issuer_id: id } }),
    done: `${name} is archived`,
    renew: forgetFederation,
    children: (
      <p>
        <Named>{name}</Named> is believed no more, and its keys are not fetched again. That works
        once no rule names it; tokens that it led to live on to their end.
      </p>
    ),
  });
