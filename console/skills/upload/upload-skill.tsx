// A skill, or a new version of one: its folder or an archive is chosen or dropped, looked at, and sent.
import { FolderUp, FileArchive } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { createClient } from "../../../contract/client.ts";
import { plural } from "../../../client/text/words.ts";
import { DialogActions } from "../../kit/dialog/dialog.tsx";
import { openDialog, useDialogLock, useIsDialogOpen } from "../../kit/dialog/open-dialog.ts";
import { TextField } from "../../kit/form/field.tsx";
import { useDrop } from "../../kit/form/file-drop.tsx";
import { useForm } from "../../kit/form/form.tsx";
import { Button } from "../../kit/page/button.tsx";
import { say } from "../../kit/page/say.ts";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { Skill } from "../../kit/server/api.ts";
import { fetchTelling } from "../../kit/server/upload.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { Bar } from "../../kit/value/bar.tsx";
import { bytesText } from "../../kit/value/sizes.ts";
import { renewSkills, type Workspace } from "../skill-queries.ts";
import {
  bytesOf,
  chosenOf,
  displayNameCharactersMax,
  droppedOf,
  folderFault,
  type ChosenFile,
} from "./chosen-folder.ts";

interface Target {
  workspace: Workspace;
  /** The one that it becomes a version of; a new one where there is none. */
  skill?: Skill | undefined;
  /** The id of the skill. */
  onDone: (skill: string) => void;
}

export const uploadSkill = (target: Target, files: ChosenFile[] = []): void =>
  openDialog({
    title: target.skill === undefined ? "New skill" : `New version of ${target.skill.display_name}`,
    description:
      "A folder with SKILL.md right in it, or a zip or tar of that folder. Drop it here, or choose it.",
    wide: true,
    body: <UploadForm target={target} dropped={files} />,
  });

/** Anywhere on the page a folder or an archive may be dropped, unless a dialog is open. */
export function SkillDrop({ target }: { target: Target }) {
  const take = useCallback(
    (files: File[], _: string[], entries: FileSystemDirectoryEntry[]) =>
      void droppedOf(files, entries).then((chosen) => uploadSkill(target, chosen), say.error),
    [target],
  );
  if (!useDrop(useIsDialogOpen(), take)) return null;
  return (
    <div className="pointer-events-none fixed inset-3 z-50 grid place-items-center rounded-xl border-2 border-dashed border-accent bg-accent-soft text-lg font-semibold text-accent">
      Drop the folder to upload it
    </div>
  );
}

async function send(
  files: readonly ChosenFile[],
  name: string,
  { workspace, skill }: Target,
  { signal, onBytes }: { signal: AbortSignal; onBytes: (bytes: number) => void },
): Promise<string> {
  const body = new FormData();
  if (skill === undefined && name.trim() !== "") body.append("display_name", name.trim());
  for (const { path, file } of files) body.append("files[]", file, path);
  const { skills } = createClient({ baseUrl: "", fetch: fetchTelling(onBytes) });
  const call = { body, headers: inWorkspace(workspace), signal };
  if (skill === undefined) return (await skills.create(call)).id;
  return (await skills.versions.create({ ...call, params: { skill_id: skill.id } })).skill_id;
}

function useUpload(target: Target, dropped: ChosenFile[]) {
  const [sent, setSent] = useState(0);
  const stopping = useRef<AbortController>(undefined);
  const form = useForm<{ files: ChosenFile[]; name: string }, string>({
    start: { files: [], name: "" },
    typed: { files: dropped, name: "" },
    save: ({ files, name }) => {
      const { signal } = (stopping.current = new AbortController());
      setSent(0);
      return send(files, name, target, { signal, onBytes: setSent });
    },
    renew: renewSkills,
    done: () => (target.skill === undefined ? "The skill is there" : "The new version is there"),
    next: target.onDone,
  });
  useDialogLock(form.isPending);
  useEffect(() => () => stopping.current?.abort(), []);
  return { form, sent, stop: () => stopping.current?.abort() };
}

function UploadForm({ target, dropped }: { target: Target; dropped: ChosenFile[] }) {
  const { form, sent, stop } = useUpload(target, dropped);
  const { files } = form.values;
  const fault = files.length === 0 ? undefined : folderFault(files);
  const choose = (chosen: ChosenFile[]) => form.set({ files: chosen });
  const take = useCallback(
    (plain: File[], _: string[], entries: FileSystemDirectoryEntry[]) =>
      void droppedOf(plain, entries).then(choose, say.error),
    [],
  );
  const isOver = useDrop(form.isPending, take);
  const name = form.field("name", "display_name");
  const refused = form.errorWithin("files[]");
  const error = form.error();
  const isStopped = error instanceof DOMException && error.name === "AbortError";
  return (
    <form noValidate onSubmit={form.submit} className="grid gap-4">
      <Choosers isOver={isOver} disabled={form.isPending} onChosen={choose} />
      {files.length > 0 && <Files files={files} />}
      {(fault ?? refused) !== undefined && (
        <p role="alert" className="text-bad wrap-anywhere">
          {fault ?? refused}
        </p>
      )}
      {target.skill === undefined && (
        <TextField
          label="Shown as"
          hint="Left empty, the name that SKILL.md gives it."
          maxLength={displayNameCharactersMax}
          autoComplete="off"
          disabled={form.isPending}
          {...name}
        />
      )}
      {form.isPending && (
        <div role="status" className="grid gap-1.5">
          <p>{sent < bytesOf(files) ? "Sending…" : "All sent; the server looks at it…"}</p>
          <Bar share={Math.min(1, sent / Math.max(1, bytesOf(files)))} />
        </div>
      )}
      {error !== null && !isStopped && <TroubleBox error={error} />}
      <DialogActions>
        {form.isPending ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <>
            <Button onClick={form.close}>Cancel</Button>
            <Button
              type="submit"
              look="primary"
              disabled={files.length === 0 || fault !== undefined}
            >
              Upload
            </Button>
          </>
        )}
      </DialogActions>
    </form>
  );
}

function Choosers({
  isOver,
  disabled,
  onChosen,
}: {
  isOver: boolean;
  disabled: boolean;
  onChosen: (files: ChosenFile[]) => void;
}) {
  const folder = useRef<HTMLInputElement>(null);
  const archive = useRef<HTMLInputElement>(null);
  const taken = ({ target }: { target: HTMLInputElement }) => {
    const files = [...(target.files ?? [])];
    // The same folder, mended, is chosen anew.
    target.value = "";
    if (files.length > 0) onChosen(chosenOf(files));
  };
  return (
    <div
      className={`flex flex-wrap justify-center gap-2 rounded-lg border border-dashed px-4 py-6 ${isOver ? "border-accent bg-accent-soft" : "border-line-strong"}`}
    >
      <Button disabled={disabled} onClick={() => folder.current?.click()}>
        <FolderUp size={16} aria-hidden />
        Choose a folder
      </Button>
      <Button disabled={disabled} onClick={() => archive.current?.click()}>
        <FileArchive size={16} aria-hidden />
        Choose a zip or tar
      </Button>
      <input
        ref={folder}
        type="file"
        aria-label="Folder of the skill"
        className="hidden"
        // A word that the types of React do not have.
        {...{ webkitdirectory: "" }}
        onChange={taken}
      />
      <input
        ref={archive}
        type="file"
        aria-label="Archive of the skill"
        accept=".zip,.tar,.tgz,.gz,.skill"
        className="hidden"
        onChange={taken}
      />
    </div>
  );
}

const shownMax = 100;

function Files({ files }: { files: readonly ChosenFile[] }) {
  return (
    <div>
      <p className="mb-1.5 text-sm text-soft">
        {plural(files.length, "file")}, {bytesText(bytesOf(files))}
      </p>
      <ul
        aria-label="Files"
        tabIndex={0}
        className="max-h-56 divide-y divide-line overflow-y-auto rounded-lg border border-line"
      >
        {files.slice(0, shownMax).map(({ path, file }) => (
          <li key={path} className="flex items-baseline gap-3 px-3 py-1">
            <span className="min-w-0 flex-1 font-mono text-sm wrap-anywhere">{path}</span>
            <span className="text-sm whitespace-nowrap text-soft">{bytesText(file.size)}</span>
          </li>
        ))}
        {files.length > shownMax && (
          <li className="px-3 py-1 text-sm text-soft">
            and {plural(files.length - shownMax, "more file")}
          </li>
        )}
      </ul>
    </div>
  );
}
