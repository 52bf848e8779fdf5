// Somebody saved the agent while another person was editing it: what each of them changed, and the two ways on.
import { DialogActions, useCloseDialog } from "../../kit/dialog/dialog.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { Button } from "../../kit/page/button.tsx";
import type { Agent } from "../../kit/server/api.ts";
import { Time } from "../../kit/value/time.tsx";
import { configOfAgent, fieldWords, type Field } from "../agents.ts";
import { FieldDiffs } from "../versions/field-diffs.tsx";
import { configOf, differingFields, draftOf, type AgentDraft, type WholeConfig } from "./draft.ts";

interface Stale {
  /** What the edit began from. */
  before: Agent;
  /** What is there now. */
  theirs: Agent;
  mine: WholeConfig;
  onMine: (typed: AgentDraft) => void;
  onTheirs: () => void;
}

export const openStaleEdit = (stale: Stale): void =>
  openDialog({
    title: "Somebody else saved this agent meanwhile",
    wide: true,
    body: <StaleEdit {...stale} />,
  });

const draftOfAgent = (agent: Agent) => draftOf(configOfAgent(agent));

/** Theirs, with each part that I changed in place of theirs; of the metadata, each key. */
export function mergedOf({ before, theirs, mine }: Pick<Stale, "before" | "theirs" | "mine">) {
  const changed = differingFields(draftOfAgent(before), draftOf(mine));
  const merged: WholeConfig = {
    ...configOf(draftOfAgent(theirs)),
    ...Object.fromEntries(changed.map((field) => [field, mine[field]])),
  };
  if (changed.includes("metadata")) merged.metadata = mergedMetadata(before, theirs, mine);
  return draftOf(merged);
}

function mergedMetadata(before: Agent, theirs: Agent, mine: WholeConfig): Record<string, string> {
  const gone = Object.keys(before.metadata).filter((key) => !Object.hasOwn(mine.metadata, key));
  const kept = Object.entries(theirs.metadata).filter(([key]) => !gone.includes(key));
  const changed = Object.entries(mine.metadata).filter(
    ([key, value]) => before.metadata[key] !== value,
  );
  return Object.fromEntries([...kept, ...changed]);
}

const named = (fields: readonly Field[]): string =>
  fields.map((each) => fieldWords[each]).join(", ");

function StaleEdit(stale: Stale) {
  const { before, theirs, mine, onMine, onTheirs } = stale;
  const close = useCloseDialog();
  const ours = differingFields(draftOfAgent(before), draftOf(mine));
  const others = differingFields(draftOfAgent(before), draftOfAgent(theirs));
  const both = ours.filter((field) => others.includes(field));
  const go = (on: () => void) => () => {
    close();
    on();
  };
  return (
    <div className="grid gap-4">
      <p>
        You began from version {before.version}; version {theirs.version} was saved{" "}
        <Time at={theirs.updated_at} />. Nothing of yours is lost, and nothing of yours is saved.
      </p>
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[auto_1fr]">
        <dt className="text-soft">They changed</dt>
        <dd>{named(others) || "Nothing that is left"}</dd>
        <dt className="text-soft">You changed</dt>
        <dd>{named(ours)}</dd>
      </dl>
      {both.length > 0 && (
        <p role="status" className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
          Both of you changed {named(both)}: there yours would replace theirs.
        </p>
      )}
      {others.length > 0 && (
        <details>
          <summary>What they changed</summary>
          <div className="mt-3">
            <FieldDiffs before={before} after={theirs} />
          </div>
        </details>
      )}
      <DialogActions>
        <Button onClick={close}>Go on editing</Button>
        <Button onClick={go(onTheirs)}>Drop mine, take theirs</Button>
        <Button look="primary" onClick={go(() => onMine(mergedOf(stale)))}>
          Put mine on theirs
        </Button>
      </DialogActions>
    </div>
  );
}
