// Somebody else wrote meanwhile: both sides, and the three ways on. None of them loses what was typed.
import { useQuery } from "@tanstack/react-query";
import type { Memory } from "../../kit/server/api.ts";
import { memoryQueries } from "../memory-queries.ts";
import type { MemoryEditor, Place } from "./memory-editor.ts";
import { asTyped } from "../memory.ts";
import { ActorName } from "../../kit/value/actor.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog/dialog.tsx";
import { useLast } from "../../kit/dialog/last.ts";
import { TextDiffView } from "../../kit/text/compared-texts.tsx";
import { Time } from "../../kit/value/time.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

export function MemoryConflict({ place, editor }: { place: Place; editor: MemoryEditor }) {
  const theirs = useLast(editor.theirs);
  return (
    <Dialog
      open={editor.theirs !== undefined}
      onClose={editor.decideLater}
      title="This memory has changed meanwhile"
      description="Somebody else saved another text since you began. Nothing is lost: theirs is in the history, and yours stays in this page until you decide."
      wide="full"
    >
      {theirs !== undefined && <Sides place={place} theirs={theirs} editor={editor} />}
    </Dialog>
  );
}

function Sides({ place, theirs, editor }: { place: Place; theirs: Memory; editor: MemoryEditor }) {
  const { workspace, store } = place;
  const { data } = useQuery(memoryQueries.version(workspace, store, theirs.memory_version_id));
  return (
    <>
      <TextDiffView
        label="Theirs and mine"
        before={asTyped(theirs.content ?? "")}
        after={editor.typed}
        titles={[
          <span key="theirs">
            Theirs, saved <Time at={theirs.updated_at} />{" "}
            {data !== undefined && (
              <span className="font-normal text-soft">
                by <ActorName actor={data.created_by} />
              </span>
            )}
          </span>,
          "Mine, not saved",
        ]}
      />
      {editor.error !== null && (
        <div className="mt-3">
          <TroubleBox error={editor.error} />
        </div>
      )}
      <DialogActions>
        <Button onClick={editor.takeTheirs}>Take theirs</Button>
        <Button onClick={editor.mergeBoth}>Edit a merged text</Button>
        <Button look="danger" busy={editor.isSaving} onClick={editor.keepMine}>
          Overwrite theirs with mine
        </Button>
      </DialogActions>
    </>
  );
}
