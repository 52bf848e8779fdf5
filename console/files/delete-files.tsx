// Deleting files, one or several at once. It says what will happen before it does.
import { useEffect, useState } from "react";
import { useAct } from "../kit/form/act.ts";
import { ApiError, server, type FileInfo } from "../kit/server/api.ts";
import { lookAgain } from "./file-queries.ts";
import { plural } from "../kit/value/words.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

interface Props {
  files: readonly FileInfo[];
  workspace: string | undefined;
  onClose: () => void;
  onDeleted: (ids: readonly string[]) => void;
}

const none: readonly FileInfo[] = [];

/** Open as long as there are files to ask about. */
export function DeleteFiles(props: Props) {
  // The words stay while the dialog fades out.
  const [last, setLast] = useState(none);
  useEffect(() => {
    if (props.files.length > 0) setLast(props.files);
  }, [props.files]);
  const shown = props.files.length > 0 ? props.files : last;
  return (
    <Dialog
      open={props.files.length > 0}
      onClose={props.onClose}
      title={shown.length === 1 ? "Delete this file?" : `Delete ${shown.length} files?`}
    >
      {shown.length > 0 && <Ask {...props} files={shown} />}
    </Dialog>
  );
}

const namedMax = 8;

function Ask({ files, workspace, onClose, onDeleted }: Props) {
  const remove = useAct({
    mutationFn: () => deleteAll(files, workspace),
    onSuccess: (gone) => {
      say.good(`${plural(gone.length, "file")} deleted`);
      onClose();
      onDeleted(gone);
    },
    onSettled: lookAgain,
  });
  const one = files.length === 1;
  const what = one ? "The file is" : "The files are";
  const it = one ? "it" : "one of them";
  return (
    <>
      <ul className="mb-3 max-h-60 overflow-y-auto rounded-md bg-sunken px-3 py-2">
        {files.slice(0, namedMax).map(({ id, filename }) => (
          <li key={id} className="truncate" title={filename}>
            {filename}
          </li>
        ))}
        {files.length > namedMax && (
          <li className="text-soft">and {files.length - namedMax} more</li>
        )}
      </ul>
      <div className="grid gap-2">
        <p>
          {what} gone for everybody in the workspace, at once. Messages that name {it} are refused
          from then on, and so are requests of batches that have not run yet.
        </p>
        <p>This cannot be undone.</p>
      </div>
      {remove.error !== null && (
        <div className="mt-3">
          <TroubleBox error={remove.error} />
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>{one ? "Keep it" : "Keep them"}</Button>
        <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          Delete {one ? "the file" : plural(files.length, "file")}
        </Button>
      </DialogActions>
    </>
  );
}

/** One after the other; what is gone already is as good as deleted. Begun again, it goes on with the rest. */
async function deleteAll(
  files: readonly FileInfo[],
  workspace: string | undefined,
): Promise<string[]> {
  for (const { id } of files) {
    try {
      await server.files.delete({ params: { file_id: id }, headers: inWorkspace(workspace) });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
  return files.map(({ id }) => id);
}
