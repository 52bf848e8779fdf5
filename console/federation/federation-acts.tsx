// The dialogs of federation: issuers and rules are made, changed and archived, each with what follows from it.
import type { ReactNode } from "react";
import { useAct } from "../kit/form/act.ts";
import { server } from "../kit/server/api.ts";
import { forgetFederation, type Issuer, type Rule } from "./federation.ts";
import { useLast } from "../kit/form/last.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { IssuerForm } from "./issuers/issuer-form.tsx";
import { RuleForm } from "./rules/rule-form.tsx";

export type FederationAct =
  | { kind: "new issuer" | "new rule" }
  | { kind: "edit issuer" | "archive issuer"; issuer: Issuer }
  | { kind: "edit rule" | "archive rule"; rule: Rule };

const titles: Record<FederationAct["kind"], string> = {
  "new issuer": "Register an issuer",
  "edit issuer": "Edit the issuer",
  "archive issuer": "Archive this issuer for ever?",
  "new rule": "New rule",
  "edit rule": "Edit the rule",
  "archive rule": "Archive this rule for ever?",
};

export function FederationActs({
  act,
  onClose,
  onMade,
}: {
  act: FederationAct | undefined;
  onClose: () => void;
  onMade?: (rule: Rule) => void;
}) {
  const shown = useLast(act);
  return (
    <Dialog
      open={act !== undefined}
      onClose={onClose}
      wide={shown?.kind.startsWith("archive") !== true}
      title={shown === undefined ? "" : titles[shown.kind]}
    >
      {act?.kind === "new issuer" && <IssuerForm onClose={onClose} />}
      {act?.kind === "edit issuer" && <IssuerForm issuer={act.issuer} onClose={onClose} />}
      {act?.kind === "new rule" && <RuleForm onClose={onClose} {...(onMade && { onMade })} />}
      {act?.kind === "edit rule" && <RuleForm rule={act.rule} onClose={onClose} />}
      {shown?.kind === "archive issuer" && (
        <Archive
          name={shown.issuer.name}
          archive={() =>
            server.federation_issuers.archive({
              params: { federation_issuer_id: shown.issuer.id },
            })
          }
          label="Archive issuer"
          onClose={onClose}
        >
          is believed no more, and its keys are not fetched again. That works once no rule names it;
          tokens that it led to live on to their end.
        </Archive>
      )}
      {shown?.kind === "archive rule" && (
        <Archive
          name={shown.rule.name}
          archive={() =>
            server.federation_rules.archive({ params: { federation_rule_id: shown.rule.id } })
          }
          label="Archive rule"
          onClose={onClose}
        >
          gives no more tokens from now on. Those that it gave live on to their end; to end them at
          once, archive the service account or take it out of its workspaces.
        </Archive>
      )}
    </Dialog>
  );
}

function Archive({
  name,
  archive,
  label,
  onClose,
  children,
}: {
  name: string;
  archive: () => Promise<unknown>;
  label: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const doing = useAct({
    mutationFn: archive,
    onSuccess: () => {
      say.good(`${name} is archived`);
      forgetFederation();
      onClose();
    },
  });
  return (
    <div className="grid gap-4">
      <p>
        <strong className="font-semibold wrap-anywhere">{name}</strong> {children}
      </p>
      {doing.error !== null && <TroubleBox error={doing.error} />}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button look="danger" busy={doing.isPending} onClick={() => doing.mutate()}>
          {label}
        </Button>
      </DialogActions>
    </div>
  );
}
