// One file: what it is, what is in it, and how a message names it.
import { Tabs } from "@base-ui/react/tabs";
import { useQuery } from "@tanstack/react-query";
import { Download, Trash2 } from "lucide-react";
import type { FileInfo } from "../kit/server/api.ts";
import { bytesText } from "../kit/value/sizes.ts";
import { fileQueries } from "./file-queries.ts";
import { messageWith } from "./file-snippets.ts";
import { blockOf, isExpired, originOf, stayOf } from "./files.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { exactTime } from "../kit/value/time.ts";
import { Button } from "../kit/page/button.tsx";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { Dialog, DialogActions } from "../kit/dialog/dialog.tsx";
import { deleteFiles } from "./delete-files.tsx";
import { download, useShownFile } from "./file-acts.ts";
import { useLast } from "../kit/dialog/last.ts";
import type { useWorkspace } from "../kit/server/workspace.ts";
import { FilePreview } from "./file-preview.tsx";
import { Fact } from "../kit/value/facts.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { SnippetTabs } from "../kit/value/snippet.tsx";
import { Tab } from "../kit/page/tab.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

interface Props {
  /** Those that the page knows already. */
  files: readonly FileInfo[];
  workspace: ReturnType<typeof useWorkspace>;
}

/** The address says which one is shown, if any. */
export function FileDialog({ files, workspace }: Props) {
  const { id, show } = useShownFile();
  const shown = useLast(id);
  const { data, error, refetch } = useQuery({
    ...fileQueries.one(workspace.id, shown ?? ""),
    enabled: id !== undefined,
    placeholderData: () => files.find((each) => each.id === shown),
  });
  return (
    <Dialog open={id !== undefined} onClose={() => show()} title={data?.filename ?? "File"} wide>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton rows={3} />}
      {data !== undefined && error === null && <Whole file={data} workspace={workspace} />}
    </Dialog>
  );
}

function Whole({ file, workspace }: Omit<Props, "files"> & { file: FileInfo }) {
  const { view, setView, show } = useShownFile();
  return (
    <>
      <p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="font-mono text-sm wrap-anywhere">{file.id}</span>
        <CopyButton text={file.id} label="Copy id" />
      </p>
      <Tabs.Root
        value={view === "use" ? view : "content"}
        onValueChange={(view) => setView(view === "use" ? view : undefined)}
      >
        <Tabs.List aria-label="Of the file" className="mb-2 flex gap-1 overflow-x-auto p-0.5">
          <Tab value="content">Content</Tab>
          <Tab value="use">Use in a message</Tab>
        </Tabs.List>
        <Tabs.Panel value="content">
          <FilePreview file={file} workspace={workspace.id} />
        </Tabs.Panel>
        <Tabs.Panel value="use">
          <Use file={file} />
        </Tabs.Panel>
      </Tabs.Root>
      <Facts file={file} />
      <DialogActions>
        <Button onClick={() => deleteFiles([file], workspace.id, show)}>
          <Trash2 size={16} aria-hidden />
          Delete
        </Button>
        <Button disabled={isExpired(file)} onClick={() => void download(file, workspace)}>
          <Download size={16} aria-hidden />
          Download
        </Button>
      </DialogActions>
    </>
  );
}

function Facts({ file }: { file: FileInfo }) {
  const stay = stayOf(file);
  const { words, session, reach, reason } = originOf(file);
  return (
    <dl className="mt-4 grid gap-3 sm:grid-cols-2">
      <Fact name="Type and size">
        {file.mime_type}, {bytesText(file.size_bytes)}
      </Fact>
      <Fact name="Created">{exactTime(file.created_at)}</Fact>
      <Fact name="Expires">
        {stay.short}
        <Note>{stay.long}</Note>
      </Fact>
      <Fact name="Origin">
        {words}. {reach}.{session !== undefined && ` Session ${session}.`}
        <Note>{reason}</Note>
      </Fact>
    </dl>
  );
}

function Note({ children }: { children: string }) {
  return <span className="block text-sm font-normal text-soft">{children}</span>;
}

function Use({ file }: { file: FileInfo }) {
  const url = useServerUrl();
  const block = blockOf(file);
  if (isExpired(file))
    return <p className="text-soft">It has expired: messages that name it are refused.</p>;
  if (block === undefined)
    return (
      <p className="text-soft">
        No block of a message takes a file of this type: pictures (JPEG, PNG, GIF, WebP), PDFs and
        text go into messages.
      </p>
    );
  return (
    <>
      <p className="mb-2 text-soft">
        A message names the file by its id; the model gets what is in it. Batches and token counts
        take the same.
      </p>
      <SnippetTabs snippets={messageWith(url, file.id, block)} label="Use in a message" />
    </>
  );
}
