// What an event was done to: by its name where it has one, an operation where it can be broken, all else in words.
import { Fragment } from "react";
import type { AuditEntry } from "../kit/server/api.ts";
import { Name } from "../kit/value/name.tsx";
import { useNames } from "../kit/value/names.ts";
import { spaced } from "../kit/value/words.ts";

export type Target = NonNullable<AuditEntry["target"]>;

/** Types whose names are no words that people use. */
const nouns: Record<string, string> = {
  key: "API key",
  email_domain: "E-mail domain",
  member: "Person",
  program_sign_in: "Sign-in of a program",
  message_batch: "Batch",
  rbac_group: "Group",
  rbac_role: "Role",
  scim_token: "SCIM token",
  user: "Person",
  webhook_endpoint: "Webhook",
};

/** Where the details of an event hold what its target was called then. Of others, `name` may be something else's. */
const recordedAs: Record<string, string> = {
  email_domain: "domain",
  federation_issuer: "name",
  federation_rule: "name",
  invite: "email",
  key: "name",
  rbac_group: "name",
  rbac_role: "name",
  scim_token: "name",
  webhook_endpoint: "name",
};

/** What is a part of another thing goes by the name of that: where the details of an event hold its id. */
const partOf: Record<string, string> = { skill_version: "skill_id" };

/** Their ids are names. */
const namedById = ["model", "upstream"];

/** What it is called now, or was when it was written down: what is deleted has no name but that. */
export function useTargetName({ target, details }: Pick<AuditEntry, "target" | "details">) {
  const nameOf = useNames();
  if (target === null) return undefined;
  if (namedById.includes(target.type)) return target.id;
  const recorded = details[recordedAs[target.type] ?? ""];
  const whole = details[partOf[target.type] ?? ""];
  return (
    nameOf(typeof whole === "string" ? whole : target.id) ??
    (typeof recorded === "string" ? recorded : undefined)
  );
}

export const targetNoun = ({ type }: Target): string => nouns[type] ?? spaced(type);

export function TargetName({ entry, target }: { entry: AuditEntry; target: Target }) {
  const name = useTargetName(entry);
  const { id } = target;
  if (target.type === "operation")
    return (
      <span title={id} className="block min-w-0 wrap-break-word">
        <Operation name={id} />
      </span>
    );
  return <Name id={id} {...kindOf(target)} known={name} unnamed={<Short target={target} />} />;
}

/** Of a model, which no id tells. */
export const kindOf = ({ type }: Target) => (type === "model" ? { kind: "model" as const } : {});

const Short = ({ target }: { target: Target }) => (
  <span className="min-w-0">
    {targetNoun(target)}{" "}
    <span className="font-mono text-sm whitespace-nowrap">…{target.id.slice(-6)}</span>
  </span>
);

/** `console.rate_limits.list` goes on in the next line after a dot or a stroke, and in no word. */
const Operation = ({ name }: { name: string }) =>
  name.split(/(?<=[._])/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
