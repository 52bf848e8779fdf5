// What an event was done to: a person by name, an operation where it can be broken, all else in words.
import { Fragment } from "react";
import type { AuditEntry } from "../kit/server/api.ts";
import { usePersonName } from "../kit/value/people.ts";
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
  if (target.type === "operation") return <Operation name={target.id} />;
  if (target.id.startsWith("user_")) return <Person target={target} />;
  return <Short target={target} />;
}

function Person({ target }: { target: Target }) {
  const name = usePersonName()(target.id);
  return name === undefined ? <Short target={target} /> : name;
}

const Short = ({ target }: { target: Target }) => (
  <>
    {targetNoun(target)}{" "}
    <span className="font-mono text-sm whitespace-nowrap">…{target.id.slice(-6)}</span>
  </>
);

/** `console.rate_limits.list` goes on in the next line after a dot or a stroke, and in no word. */
const Operation = ({ name }: { name: string }) =>
  name.split(/(?<=[._])/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
