// A store from a tar: chosen or dropped, named if one likes, sent, and told what came of it.
import { Link } from "@tanstack/react-router";
import { FileUp } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { createClient } from "../../../contract/client.ts";
import type { MemoryStoresImportReply as Imported } from "../../../contract/types.ts";
import { DialogActions, useCloseDialog } from "../../kit/dialog/dialog.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { useDrop } from "../../kit/form/file-drop.tsx";
import { useForm } from "../../kit/form/form.tsx";
import { openDialog, useDialogLock, useIsDialogOpen } from "../../kit/dialog/open-dialog.ts";
import { Button, buttonClass } from "../../kit/page/button.tsx";
import type { Search } from "../../kit/page/search.ts";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { fetchTelling } from "../../kit/server/upload.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { Bar } from "../../kit/value/bar.tsx";
import { bytesText } from "../../kit/value/sizes.ts";
import { plural } from "../../../client/text/words.ts";
import { forgetStores, type Workspace } from "../memory-queries.ts";

interface Place {
  workspace: Workspace;
  /** Of the address of the store that is made. */
  search: Search;
}

const importStore = (file: File, place: Place): void =>
  openDialog({
    title: "Import a memory store",
    description:
      "A tar or tar.gz. One that was exported here comes with its history; of any other, each text file becomes a memory.",
    body: <ImportForm file={file} {...place} />,
  });

export function ImportButton(place: Place) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>
        <FileUp size={16} aria-hidden />
        Import
      </Button>
      <input
        ref={input}
        type="file"
        aria-label="Tar of a memory store"
        accept=".tar,.tgz,.gz,application/x-tar,application/gzip"
        className="hidden"
        onChange={({ target }) => {
          const file = target.files?.[0];
          // The same file, packed anew, is chosen anew.
          target.value = "";
          if (file !== undefined) importStore(file, place);
        }}
      />
    </>
  );
}

/** Anywhere on the page a tar may be dropped, unless another one is on its way. */
export function StoreDrop({ workspace, search }: Place) {
  const take = useCallback(
    ([file]: File[]) => file && importStore(file, { workspace, search }),
    [workspace, search.workspace],
  );
  if (!useDrop(useIsDialogOpen(), take)) return null;
  return (
    <div className="pointer-events-none fixed inset-3 z-50 grid place-items-center rounded-xl border-2 border-dashed border-accent bg-accent-soft text-lg font-semibold text-accent">
      Drop the tar to import it
    </div>
  );
}

function useImport(file: File, workspace: Workspace) {
  const [sent, setSent] = useState(0);
  const [imported, setImported] = useState<Imported>();
  const stopping = useRef<AbortController>(undefined);
  const form = useForm({
    start: { name: "" },
    save: ({ name }) => {
      stopping.current = new AbortController();
      setSent(0);
      return createClient({ baseUrl: "", fetch: fetchTelling(setSent) }).memory_stores.import({
        body: file,
        query: { name: name.trim() === "" ? undefined : name.trim() },
        // What a browser says of a file's type differs from system to system.
        headers: { ...inWorkspace(workspace), "content-type": "application/octet-stream" },
        signal: stopping.current.signal,
      });
    },
    renew: forgetStores,
    next: setImported,
    stays: true,
  });
  useDialogLock(form.isPending);
  useEffect(() => () => stopping.current?.abort(), []);
  return { form, sent, imported, stop: () => stopping.current?.abort() };
}

function ImportForm({ file, workspace, search }: Place & { file: File }) {
  const { form, sent, imported, stop } = useImport(file, workspace);
  if (imported !== undefined) return <Done imported={imported} search={search} />;
  const error = form.error();
  const isStopped = error instanceof DOMException && error.name === "AbortError";
  return (
    <form onSubmit={form.submit} className="grid gap-4">
      <p className="wrap-anywhere">
        <span className="font-mono text-sm">{file.name}</span>{" "}
        <span className="text-soft">{bytesText(file.size)}</span>
      </p>
      <TextField
        label="Name"
        hint="Left empty, the name that the file gives."
        maxLength={255}
        disabled={form.isPending}
        autoComplete="off"
        {...form.field("name")}
      />
      {form.isPending && (
        <div role="status" className="grid gap-1.5">
          <p>{sent < file.size ? "Sending the file…" : "All sent; the server takes it in…"}</p>
          <Bar share={file.size === 0 ? 1 : Math.min(1, sent / file.size)} />
        </div>
      )}
      {error !== null && !isStopped && <TroubleBox error={error} />}
      <DialogActions>
        {form.isPending ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <>
            <Button onClick={form.close}>Cancel</Button>
            <Button type="submit" look="primary">
              Import
            </Button>
          </>
        )}
      </DialogActions>
    </form>
  );
}

function Done({ imported: store, search }: { imported: Imported; search: Search }) {
  const close = useCloseDialog();
  const { memories, versions, skipped } = store.imported;
  return (
    <div className="grid gap-3">
      <p role="status" className="wrap-anywhere">
        <strong className="font-semibold">{store.name}</strong> is there, with{" "}
        {plural(memories, "memory", "memories")} in {plural(versions, "version")}.
      </p>
      {skipped.length > 0 && (
        <details>
          <summary>{plural(skipped.length, "entry", "entries")} of the file passed over</summary>
          <ul className="mt-2 max-h-48 overflow-y-auto font-mono text-sm text-soft">
            {skipped.map((name) => (
              <li key={name} className="wrap-anywhere">
                {name}
              </li>
            ))}
          </ul>
        </details>
      )}
      <DialogActions>
        <Button onClick={close}>Close</Button>
        <Link
          to="/memory/$id"
          params={{ id: store.id }}
          search={search}
          className={buttonClass("primary")}
        >
          Open the store
        </Link>
      </DialogActions>
    </div>
  );
}
