// A store from a tar: chosen or dropped, named if one likes, sent, and told what came of it.
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { createClient } from "../../../contract/client.ts";
import type { MemoryStoresImportReply as Imported } from "../../../contract/types.ts";
import { useAct } from "../../kit/form/act.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { useLast } from "../../kit/form/last.ts";
import { forgetStores } from "../memory-queries.ts";
import { fetchTelling } from "../../kit/server/upload.ts";
import { plural } from "../../kit/value/words.ts";
import { inWorkspace, useWorkspace } from "../../kit/server/workspace.ts";
import { Bar } from "../../kit/value/bar.tsx";
import { Button, buttonClass } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/form/dialog.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

export function ImportStore({ file, onClose }: { file: File | undefined; onClose: () => void }) {
  const shown = useLast(file);
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog
      open={file !== undefined}
      onClose={onClose}
      locked={isBusy}
      title="Import a memory store"
      description="A tar or tar.gz. One that was exported here comes with its history; of any other, each text file becomes a memory."
    >
      {shown !== undefined && (
        <Form key={`${shown.name} ${shown.lastModified}`} file={shown} {...{ onClose, setBusy }} />
      )}
    </Dialog>
  );
}

interface Props {
  file: File;
  onClose: () => void;
  setBusy: (isBusy: boolean) => void;
}

function useImport({ file, setBusy }: Props) {
  const { id: workspace } = useWorkspace();
  const [sent, setSent] = useState(0);
  const [imported, setImported] = useState<Imported>();
  const stopping = useRef<AbortController>(undefined);
  const act = useAct({
    mutationFn: (name: string) => {
      stopping.current = new AbortController();
      setSent(0);
      return createClient({ baseUrl: "", fetch: fetchTelling(setSent) }).memory_stores.import({
        body: file,
        query: { name: name === "" ? undefined : name },
        // What a browser says of a file's type differs from system to system.
        headers: { ...inWorkspace(workspace), "content-type": "application/octet-stream" },
        signal: stopping.current.signal,
      });
    },
    onSuccess: (store) => {
      setImported(store);
      forgetStores();
    },
  });
  useEffect(() => setBusy(act.isPending), [act.isPending]);
  useEffect(() => () => stopping.current?.abort(), []);
  return { ...act, sent, imported, stop: () => stopping.current?.abort() };
}

function Form(props: Props) {
  const { file, onClose } = props;
  const [name, setName] = useState("");
  const { mutate, error, isPending, sent, imported, stop } = useImport(props);
  const isStopped = error instanceof DOMException && error.name === "AbortError";
  if (imported !== undefined) return <Done imported={imported} onClose={onClose} />;
  function submit(event: FormEvent): void {
    event.preventDefault();
    mutate(name.trim());
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <p className="wrap-anywhere">
        <span className="font-mono text-sm">{file.name}</span>{" "}
        <span className="text-soft">{bytesText(file.size)}</span>
      </p>
      <TextField
        label="Name"
        hint="Left empty, the name that the file gives."
        value={name}
        maxLength={255}
        disabled={isPending}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      {isPending && (
        <div role="status" className="grid gap-1.5">
          <p>{sent < file.size ? "Sending the file…" : "All sent; the server takes it in…"}</p>
          <Bar share={file.size === 0 ? 1 : Math.min(1, sent / file.size)} />
        </div>
      )}
      {error !== null && !isStopped && <TroubleBox error={error} />}
      <DialogActions>
        {isPending ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary">
              Import
            </Button>
          </>
        )}
      </DialogActions>
    </form>
  );
}

function Done({ imported: store, onClose }: { imported: Imported; onClose: () => void }) {
  const { search } = useWorkspace();
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
        <Button onClick={onClose}>Close</Button>
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
