// Scrubs a version, with a reason; says first what goes, what stays, and what this server cannot reach.
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { server, type MemoryVersion } from "../../kit/server/api.ts";
import { fieldError } from "../../kit/server/errors.ts";
import type { Place } from "../memories/memory-editor.ts";
import { forgetStores, memoryQueries } from "../memory-queries.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { Button } from "../../kit/page/button.tsx";
import { DialogActions } from "../../kit/form/dialog.tsx";
import { AreaField } from "../../kit/form/field.tsx";
import { say } from "../../kit/page/toast.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

interface Props {
  place: Place;
  version: MemoryVersion;
  isHead: boolean;
  onClose: () => void;
}

const reasonMax = 500;

export function RedactVersion({ place: { workspace, store }, version, isHead, onClose }: Props) {
  const [reason, setReason] = useState("");
  const redact = useAct({
    mutationFn: () =>
      server.memory_stores.memory_versions.redact({
        params: { memory_store_id: store, memory_version_id: version.id },
        body: reason.trim() === "" ? {} : { reason: reason.trim() },
        headers: inWorkspace(workspace),
      }),
    onSuccess: (redacted) => {
      // Not in this browser either: what it knew of the text goes at once.
      queryClient.setQueryData(
        memoryQueries.version(workspace, store, version.id).queryKey,
        redacted,
      );
      say.good("The version is redacted");
      onClose();
      forgetStores();
    },
  });
  const inline = fieldError(redact.error, "reason");
  function submit(event: FormEvent): void {
    event.preventDefault();
    redact.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Consequence />
      {isHead ? (
        <p role="note" className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
          This is the text of today. Write another one or delete the memory first; then this version
          can be redacted.
        </p>
      ) : (
        <AreaField
          label="Reason"
          hint="It stays with the version for everybody to read: do not repeat what is to go."
          value={reason}
          rows={2}
          maxLength={reasonMax}
          error={inline}
          onChange={({ target }) => setReason(target.value)}
        />
      )}
      {redact.error !== null && inline === undefined && <TroubleBox error={redact.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="danger" busy={redact.isPending} disabled={isHead}>
          Redact for ever
        </Button>
      </DialogActions>
    </form>
  );
}

function Consequence() {
  return (
    <dl className="grid gap-3">
      <div>
        <dt className="font-medium">What goes</dt>
        <dd className="text-soft">
          Text, path, size and hash of this version, everywhere on this server. Nobody can bring
          them back.
        </dd>
      </div>
      <div>
        <dt className="font-medium">What stays</dt>
        <dd className="text-soft">
          That there was a version, who wrote it and when; who redacted it, when, and the reason.
          The same words in other versions stay too: redact each.
        </dd>
      </div>
      <div>
        <dt className="font-medium">What this server cannot reach</dt>
        <dd className="text-soft">
          Backups of the database and exports that were made before, and what agents and people have
          read already.
        </dd>
      </div>
    </dl>
  );
}
