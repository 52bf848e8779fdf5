// Scrubs a version, with a reason; says first what goes, what stays, and what this server cannot reach.
import { useQuery } from "@tanstack/react-query";
import { AreaField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { server, type MemoryVersion } from "../../kit/server/api.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import type { Place } from "../memories/memory-editor.ts";
import { forgetStores, memoryQueries } from "../memory-queries.ts";

export const redactVersion = (place: Place, version: MemoryVersion): void =>
  openDialog({
    title: "Redact this version?",
    body: <RedactForm place={place} version={version} />,
  });

const reasonMax = 500;

function RedactForm({
  place: { workspace, store },
  version,
}: {
  place: Place;
  version: MemoryVersion;
}) {
  const { data: memory } = useQuery(memoryQueries.memory(workspace, store, version.memory_id));
  const isHead = memory?.memory_version_id === version.id;
  const form = useForm({
    start: { reason: "" },
    save: ({ reason }) =>
      server.memory_stores.memory_versions.redact({
        params: { memory_store_id: store, memory_version_id: version.id },
        body: reason.trim() === "" ? {} : { reason: reason.trim() },
        headers: inWorkspace(workspace),
      }),
    done: () => "The version is redacted",
    renew: (redacted) => {
      // Not in this browser either: what it knew of the text goes at once.
      const { queryKey } = memoryQueries.version(workspace, store, version.id);
      queryClient.setQueryData(queryKey, redacted);
      forgetStores();
    },
  });
  return (
    <Form form={form} label="Redact for ever" look="danger" isReady={!isHead}>
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
          rows={2}
          maxLength={reasonMax}
          {...form.field("reason")}
        />
      )}
    </Form>
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
