// What differs between two versions of an agent, part by part: texts as texts, everything else as JSON.
import type { Agent } from "../../kit/server/api.ts";
import { TextDiffView } from "../../kit/text/compared-texts.tsx";
import { changedFields, configOfAgent, fields, fieldWords, textOf } from "../agents.ts";

export function FieldDiffs({ before, after }: { before: Agent; after: Agent }) {
  const changed = changedFields(before, after);
  const same = fields.filter((field) => !changed.includes(field));
  const [one, other] = [configOfAgent(before), configOfAgent(after)];
  return (
    <div className="grid gap-6">
      {changed.map((field) => (
        <section key={field} aria-label={fieldWords[field]}>
          <h2 className="mb-2 font-semibold">{fieldWords[field]}</h2>
          <TextDiffView
            label={`${fieldWords[field]}: what changed`}
            before={textOf(one[field])}
            after={textOf(other[field])}
            titles={[`Version ${before.version}`, `Version ${after.version}`]}
          />
        </section>
      ))}
      <p className="text-soft">
        {changed.length === 0
          ? "There is no difference."
          : `The same in both: ${same.map((field) => fieldWords[field]).join(", ")}.`}
      </p>
    </div>
  );
}
