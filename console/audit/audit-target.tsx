// What an event was done to: by its name where it has one, an operation where it can be broken, all else in words.
import { Fragment } from "react";
import type { AuditEntry } from "../kit/server/api.ts";
import { Name } from "../kit/value/name.tsx";
import { spaced } from "../kit/value/words.ts";

export type Target = NonNullable<AuditEntry["target"]>;

/** Types whose names are no words that people use. */
const nouns: Record<string, string> = {
  key: "API key",
  member: "Person",
  program_sign_in: "Sign-in of a program",
  rbac_group: "Group",
  rbac_role: "Role",
  user: "Person",
};

export const targetNoun = ({ type }: Target): string => nouns[type] ?? spaced(type);

export function TargetName({ target }: { target: Target }) {
  const { id } = target;
  if (target.type === "operation")
    return (
      <span title={id} className="block min-w-0 wrap-break-word">
        <Operation name={id} />
      </span>
    );
  return <Name id={id} unnamed={<Short target={target} />} />;
}

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
