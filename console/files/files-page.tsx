// Files of the workspace: uploaded here or over the API, shown, named in messages, downloaded, deleted.
import { useBlocker } from "@tanstack/react-router";
import { Files, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { DeleteFiles } from "./delete-files.tsx";
import { FileUploads } from "./uploads/file-uploads.tsx";
import type { FileInfo } from "../kit/server/api.ts";
import { useCommands } from "../kit/page/commands.ts";
import { copyId, download } from "./file-acts.ts";
import { useChoice, useFiles, type Choice } from "./file-list.ts";
import { lookAgain } from "./file-queries.ts";
import { firstUpload } from "./file-snippets.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { useSearchState } from "../kit/page/search.ts";
import { isOnItsWay, useUploads, type Uploads } from "./uploads/uploads.ts";
import { plural } from "../kit/value/words.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { SearchInput } from "../kit/form/field.tsx";
import { FileDialog } from "./file-dialog.tsx";
import { FileTable, type FileAct } from "./file-table.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { Pager } from "../kit/list/pager.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { SnippetTabs } from "../kit/value/snippet.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { WorkspaceSelect } from "../kit/page/workspace-select.tsx";

export function Page() {
  const workspace = useWorkspace();
  const [search, change] = useSearchState();
  const uploading = useUploads(lookAgain);
  const list = useFiles(workspace.id, search.q);
  const choice = useChoice(list.files);
  const [asked, setAsked] = useState<readonly FileInfo[]>([]);
  const act = useFileActs(setAsked);
  useFileCommands();
  useEffect(() => {
    if (search.new === undefined) return;
    chooseButton()?.focus();
    change({ new: undefined });
  }, [search.new, change]);
  return (
    <>
      <PageHeader title="Files">
        Pictures, PDFs and texts that messages may name, as often as you like.
      </PageHeader>
      <FileUploads uploading={uploading} workspace={workspace.id} />
      {(list.files.length > 0 || search.q !== undefined || workspace.workspaces.length > 1) && (
        <Filters workspace={workspace} />
      )}
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {list.files.length > 0 && (
        <>
          <Chosen choice={choice} onDelete={() => setAsked(choice.files)} />
          <FileTable files={list.files} chosen={choice.ids} onChoose={choice.toggle} onAct={act} />
        </>
      )}
      {list.data !== undefined && list.files.length === 0 && (
        <Nothing
          isSearch={search.q !== undefined}
          isFirst={list.paging.place === 0}
          onClear={() => change({ q: undefined })}
        />
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {list.words}
      </p>
      {search.q === undefined && (
        <Pager paging={list.paging} next={list.next} label={["Newer", "Older"]} />
      )}
      <FileDialog
        id={search.file}
        files={list.files}
        view={search.view}
        workspace={workspace.id}
        onView={(view) => change({ view: view === "use" ? view : undefined })}
        onClose={() => change({ file: undefined, view: undefined })}
        onAct={act}
      />
      <DeleteFiles
        files={asked}
        workspace={workspace.id}
        onClose={() => setAsked([])}
        onDeleted={() => change({ file: undefined, view: undefined })}
      />
      <Leaving uploading={uploading} />
    </>
  );
}

function Filters({ workspace }: { workspace: ReturnType<typeof useWorkspace> }) {
  const [search, change] = useSearchState();
  return (
    <search aria-label="Filter files" className="mb-4 flex flex-wrap gap-2">
      <SearchInput
        label="Search name or id"
        value={search.q ?? ""}
        onChange={({ target }) => change({ q: target.value === "" ? undefined : target.value })}
      />
      {workspace.workspaces.length > 1 && <WorkspaceSelect workspace={workspace} />}
    </search>
  );
}

const chooseButton = () => document.querySelector<HTMLButtonElement>("[data-choose]");

function Chosen({ choice, onDelete }: { choice: Choice; onDelete: () => void }) {
  const { files, all, set } = choice;
  const isAll = files.length === all.length;
  return (
    <div className="mb-2 flex min-h-10 flex-wrap items-center gap-3">
      <label className="flex cursor-pointer items-center gap-2.5 pl-3 text-sm text-soft">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={isAll}
          onChange={() => set(isAll ? [] : all.map(({ id }) => id))}
        />
        {files.length === 0 ? "Choose all on this page" : `${files.length} chosen`}
      </label>
      {files.length > 0 && (
        <Button onClick={onDelete}>
          <Trash2 size={16} aria-hidden />
          Delete {plural(files.length, "file")}
        </Button>
      )}
    </div>
  );
}

function useFileActs(ask: (files: readonly FileInfo[]) => void) {
  const workspace = useWorkspace();
  const [, change] = useSearchState();
  return (act: FileAct, file: FileInfo): void => {
    switch (act) {
      case "show":
        return change({ file: file.id, view: undefined });
      case "use":
        return change({ file: file.id, view: "use" });
      case "download":
        return void download(file, workspace);
      case "copy":
        return void copyId(file);
      case "delete":
        return ask([file]);
    }
  };
}

function Nothing({
  isSearch,
  isFirst,
  onClear,
}: {
  isSearch: boolean;
  isFirst: boolean;
  onClear: () => void;
}) {
  const url = useServerUrl();
  if (isSearch)
    return (
      <EmptyState
        icon={Files}
        title="No file is called that"
        action={<Button onClick={onClear}>Clear the search</Button>}
      >
        Names and ids are searched.
      </EmptyState>
    );
  if (!isFirst)
    return (
      <EmptyState icon={Files} title="Nothing here any more">
        The files of this page were deleted. Go back to newer ones.
      </EmptyState>
    );
  return (
    <EmptyState icon={Files} title="No files yet">
      <p className="mb-4">
        Upload a file once, and name it in as many messages as you like. Drop one on the page, or
        send it:
      </p>
      <div className="text-left">
        <SnippetTabs snippets={firstUpload(url)} label="First upload" />
      </div>
    </EmptyState>
  );
}

function useFileCommands(): void {
  useCommands([
    {
      id: "files:new",
      label: "Upload files",
      group: "This page",
      keys: "n",
      inPalette: false,
      run: () => chooseButton()?.click(),
    },
    {
      id: "files:search",
      label: "Search the list",
      group: "This page",
      keys: "/",
      inPalette: false,
      run: () => document.querySelector<HTMLInputElement>("[data-search]")?.focus(),
    },
  ]);
}

/** Whoever goes away while files are sent is asked: the sending would stop. */
function Leaving({ uploading: { uploads } }: { uploading: Uploads }) {
  const isSending = uploads.some(isOnItsWay);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isSending && current.pathname !== next.pathname,
    enableBeforeUnload: () => isSending,
    withResolver: true,
  });
  return (
    <Dialog
      open={blocker.status === "blocked" && isSending}
      onClose={() => blocker.reset?.()}
      title="Stop the uploads?"
      description="Files are still on their way. If you leave this page now, nothing is kept of them."
    >
      <DialogActions>
        <Button onClick={() => blocker.reset?.()}>Stay</Button>
        <Button look="danger" onClick={() => blocker.proceed?.()}>
          Stop and leave
        </Button>
      </DialogActions>
    </Dialog>
  );
}
