// Files of the workspace: uploaded here or over the API, shown, named in messages, downloaded, deleted.
import { Files } from "lucide-react";
import { Leaving } from "../kit/dialog/leaving.tsx";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useCommands } from "../kit/page/commands.ts";
import { useAskedFor, useSearchState } from "../kit/page/search.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { ChosenFiles, useChoice } from "./chosen-files.tsx";
import { deleteFiles } from "./delete-files.tsx";
import { fileActs, useShownFile } from "./file-acts.ts";
import { fileColumns } from "./file-columns.tsx";
import { FileDialog } from "./file-dialog.tsx";
import { useFiles } from "./file-list.ts";
import { lookAgain } from "./file-queries.ts";
import { firstUpload } from "./file-snippets.ts";
import { FileUploads } from "./uploads/file-uploads.tsx";
import { isOnItsWay, useUploads } from "./uploads/uploads.ts";

export function Page() {
  const workspace = useWorkspace();
  const url = useServerUrl();
  const uploading = useUploads(lookAgain);
  const [{ q }] = useSearchState();
  const { list, note } = useFiles(workspace.id, q);
  const choice = useChoice(list.rows);
  const { show } = useShownFile();
  useUploadKey();
  useAskedFor({ files: () => chooseButton()?.focus() });
  return (
    <ListPage
      title="Files"
      about="Pictures, PDFs and texts that messages may name, as often as you like."
      above={<FileUploads uploading={uploading} workspace={workspace.id} />}
      noun="file"
      icon={Files}
      list={list}
      note={note}
      columns={fileColumns(choice, show)}
      nameOf={({ filename }) => filename}
      acts={(file) => fileActs(file, workspace, show)}
      menuName="What to do with"
      filters={filters}
      over={
        <ChosenFiles
          choice={choice}
          onDelete={() => deleteFiles(choice.files, workspace.id, show)}
        />
      }
      nothingFits={{
        title: "No file is called that",
        children: "Names and ids are searched.",
        clear: "Clear the search",
      }}
      empty={{
        title: "No files yet",
        children:
          "Upload a file once, and name it in as many messages as you like. Drop one on the page, or send it:",
        snippets: firstUpload(url),
      }}
    >
      <FileDialog files={list.rows} workspace={workspace} />
      <Leaving
        isDirty={uploading.uploads.some(isOnItsWay)}
        byPath
        title="Stop the uploads?"
        description="Files are still on their way. If you leave this page now, nothing is kept of them."
        label="Stop and leave"
      />
    </ListPage>
  );
}

const filters: Filter[] = [{ kind: "search", name: "q", label: "Search name or id" }];

const chooseButton = () => document.querySelector<HTMLButtonElement>("[data-choose]");

function useUploadKey(): void {
  useCommands([
    {
      id: "files:new",
      label: "Upload files",
      group: "This page",
      keys: "n",
      inPalette: false,
      run: () => chooseButton()?.click(),
    },
  ]);
}
