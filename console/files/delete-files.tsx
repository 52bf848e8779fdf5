// Deleting files, one or several at once. It says what will happen before it does.
import { confirm } from "../kit/dialog/confirmation.tsx";
import { ApiError, server, type FileInfo } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { plural } from "../../client/text/words.ts";
import { lookAgain } from "./file-queries.ts";

const namedMax = 8;

export function deleteFiles(
  files: readonly FileInfo[],
  workspace: string | undefined,
  onDeleted: () => void,
): void {
  const isOne = files.length === 1;
  confirm({
    title: isOne ? "Delete this file?" : `Delete ${files.length} files?`,
    label: `Delete ${isOne ? "the file" : plural(files.length, "file")}`,
    keep: isOne ? "Keep it" : "Keep them",
    run: () => deleteAll(files, workspace),
    done: `${plural(files.length, "file")} deleted`,
    renew: lookAgain,
    failed: lookAgain,
    next: onDeleted,
    children: (
      <>
        <ul className="mb-1 max-h-60 overflow-y-auto rounded-md bg-sunken px-3 py-2">
          {files.slice(0, namedMax).map(({ id, filename }) => (
            <li key={id} className="truncate" title={filename}>
              {filename}
            </li>
          ))}
          {files.length > namedMax && (
            <li className="text-soft">and {files.length - namedMax} more</li>
          )}
        </ul>
        <p>
          {isOne ? "The file is" : "The files are"} gone for everybody in the workspace, at once.
          Messages that name {isOne ? "it" : "one of them"} are refused from then on, and so are
          requests of batches that have not run yet.
        </p>
        <p>This cannot be undone.</p>
      </>
    ),
  });
}

/** One after the other; what is gone already is as good as deleted. Begun again, it goes on with the rest. */
async function deleteAll(files: readonly FileInfo[], workspace: string | undefined): Promise<void> {
  for (const { id } of files) {
    try {
      await server.files.delete({ params: { file_id: id }, headers: inWorkspace(workspace) });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
}
