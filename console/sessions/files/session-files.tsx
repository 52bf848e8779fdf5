// The files that a session has in its sandbox: a folder of them, or one file. The address says which.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight, File, FileSymlink, Folder, FolderSymlink, RefreshCw } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { Button } from "../../kit/page/button.tsx";
import { useSearchState } from "../../kit/page/search.ts";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { ApiError, type Session, type WorkspaceEntry } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { Time } from "../../kit/value/time.tsx";
import { plural } from "../../../client/text/words.ts";
import { isActive } from "../sessions.ts";
import { fileQueries, renewFiles, type FilePlace } from "./file-queries.ts";
import { FileView } from "./file-view.tsx";
import { crumbsOf, home, inOrder, kindOf, pathIn, printed } from "./workspace-entries.ts";

export function SessionFiles({ session }: { session: Session }) {
  const { id: workspace } = useWorkspace();
  const [{ files: path = home, file }, change] = useSearchState();
  const place: FilePlace = { workspace, session: session.id, path };
  const { data, error, isFetching, refetch } = useQuery(fileQueries.directory(place));
  const isRunning = isActive(session);
  useRenewal(workspace, session.id, isRunning);
  const show = (to: { files?: string; file?: string | undefined }) => change(to, true);
  const entry = file === undefined ? undefined : data?.entries.find(({ name }) => name === file);
  const isBusy = error instanceof ApiError && error.code === "sandbox_busy";
  return (
    <div className="grid gap-3">
      <div className="flex items-start gap-2">
        <Crumbs path={path} file={file} onOpen={(files) => show({ files, file: undefined })} />
        <Button aria-label="Look again" busy={isFetching} onClick={() => void refetch()}>
          <RefreshCw size={16} aria-hidden />
        </Button>
      </div>
      {isBusy ? (
        <Note>
          A call runs in the sandbox, and files are shown between calls.{" "}
          {data === undefined ? "They appear here when the turn ends." : "This is how they were."}
        </Note>
      ) : (
        error !== null && <TroubleBox error={error} retry={() => void refetch()} />
      )}
      {!isBusy && isRunning && data !== undefined && (
        <Note>The agent is at work: this is how the files were a moment ago.</Note>
      )}
      {data === undefined && error === null && <RowsSkeleton />}
      {data !== undefined &&
        (file === undefined ? (
          <Entries
            path={path}
            entries={data.entries}
            isCut={data.is_truncated}
            onOpen={(opened) =>
              kindOf(opened) === "directory"
                ? show({ files: pathIn(path, opened.name) })
                : show({ files: path, file: opened.name })
            }
          />
        ) : entry === undefined ? (
          <Note>There is no {printed(file)} here any more.</Note>
        ) : (
          <FileView
            key={pathIn(path, file)}
            place={{ ...place, path: pathIn(path, file) }}
            entry={entry}
          />
        ))}
    </div>
  );
}

const Note = ({ children }: { children: ReactNode }) => (
  <p role="status" className="rounded-md bg-sunken px-3 py-2 text-sm text-soft">
    {children}
  </p>
);

/** What a turn has changed is there when it ends. */
function useRenewal(workspace: string | undefined, session: string, isRunning: boolean): void {
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) void renewFiles(workspace, session);
    wasRunning.current = isRunning;
  }, [isRunning]);
}

/** Where one is has the focus once it has changed: what was chosen is gone from the page. */
function Crumbs({
  path,
  file,
  onOpen,
}: {
  path: string;
  file: string | undefined;
  onOpen: (path: string) => void;
}) {
  const here = useRef<HTMLSpanElement>(null);
  const shown = useRef(`${path} ${file}`);
  useEffect(() => {
    if (shown.current !== `${path} ${file}`) here.current?.focus();
    shown.current = `${path} ${file}`;
  }, [path, file]);
  const crumbs = crumbsOf(path);
  const folders = file === undefined ? crumbs.slice(0, -1) : crumbs;
  const last = file === undefined ? crumbs.at(-1)?.name : printed(file);
  return (
    <nav aria-label="Folders" className="min-w-0 flex-1">
      <ol className="flex flex-wrap items-center gap-x-1 font-mono text-sm max-md:min-h-10">
        {folders.map((crumb) => (
          <li key={crumb.path} className="flex min-w-0 items-center gap-1">
            <button
              type="button"
              onClick={() => onOpen(crumb.path)}
              className="px-0.5 text-accent underline-offset-2 wrap-anywhere hover:underline max-md:min-h-10 max-md:min-w-6"
            >
              {crumb.name}
            </button>
            <ChevronRight size={14} aria-hidden className="shrink-0 text-soft" />
          </li>
        ))}
        <li className="min-w-0">
          <span
            ref={here}
            tabIndex={-1}
            aria-current="location"
            className="scroll-mt-24 font-medium wrap-anywhere"
          >
            {last}
          </span>
        </li>
      </ol>
    </nav>
  );
}

function Entries({
  path,
  entries,
  isCut,
  onOpen,
}: {
  path: string;
  entries: readonly WorkspaceEntry[];
  isCut: boolean;
  onOpen: (entry: WorkspaceEntry) => void;
}) {
  if (entries.length === 0)
    return (
      <Note>
        {path === home
          ? "There are no files yet. What the agent writes into /workspace is shown here."
          : "This folder is empty."}
      </Note>
    );
  return (
    <>
      {isCut && (
        <Note>
          The first {plural(entries.length, "entry", "entries")} by name are shown: there are more.
        </Note>
      )}
      <ul
        aria-label={`Files in ${path}`}
        className="divide-y divide-line rounded-lg border border-line bg-surface xl:max-h-[70dvh] xl:overflow-y-auto"
      >
        {inOrder(entries).map((entry) => (
          <li key={entry.name}>
            <Line entry={entry} onOpen={() => onOpen(entry)} />
          </li>
        ))}
      </ul>
    </>
  );
}

const icons = {
  directory: [Folder, FolderSymlink],
  file: [File, FileSymlink],
  closed: [File, FileSymlink],
} as const;

function Line({ entry, onOpen }: { entry: WorkspaceEntry; onOpen: () => void }) {
  const { name, type, target, size_bytes: size, modified_at: at } = entry;
  const kind = kindOf(entry);
  const Icon = icons[kind][type === "link" ? 1 : 0];
  const about =
    type === "link"
      ? target === "missing"
        ? "A link that leads nowhere"
        : "A link"
      : kind === "file"
        ? bytesText(size)
        : kind === "directory"
          ? undefined
          : "A pipe, socket or device";
  return (
    <div className="flex items-baseline gap-2 px-3 py-1.5">
      <Icon
        size={15}
        aria-hidden
        className={`shrink-0 self-center ${kind === "directory" ? "text-accent" : "text-soft"}`}
      />
      <span className="min-w-0 flex-1">
        {kind === "closed" ? (
          <span className="font-mono text-sm wrap-anywhere">{printed(name)}</span>
        ) : (
          <button
            type="button"
            onClick={onOpen}
            aria-label={kind === "directory" ? `${printed(name)}, a folder` : undefined}
            className="text-left font-mono text-sm text-accent underline-offset-2 wrap-anywhere hover:underline max-md:min-h-10"
          >
            {printed(name)}
          </button>
        )}
      </span>
      <span className="shrink-0 text-right text-sm text-soft tabular-nums">
        {about !== undefined && <>{about} · </>}
        <Time at={at} isShort />
      </span>
    </div>
  );
}
