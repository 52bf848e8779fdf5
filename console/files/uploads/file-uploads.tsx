// Uploading files: the place to drop them on, how long they stay, and how far each is.
import { CircleCheck, CircleX, RotateCw, TriangleAlert, X } from "lucide-react";
import { useCallback, useState } from "react";
import { bytesText } from "../../kit/value/sizes.ts";
import { sentenceOf } from "../../kit/server/errors.ts";
import { fileBytesMax, stays } from "../files.ts";
import { isOnItsWay, type Upload, type Uploads } from "./uploads.ts";
import { plural } from "../../../client/text/words.ts";
import { ProgressBar } from "../../kit/page/progress-bar.tsx";
import { Button, IconButton } from "../../kit/page/button.tsx";
import { CopyButton } from "../../kit/value/copy-button.tsx";
import { FilterSelect } from "../../kit/form/select.tsx";
import { Card } from "../../kit/page/page-header.tsx";
import { say } from "../../kit/page/say.ts";
import { FileDrop } from "../../kit/form/file-drop.tsx";
import { WithRequestIds } from "../../kit/server/request-id.tsx";

export function FileUploads({
  uploading,
  workspace,
}: {
  uploading: Uploads;
  workspace: string | undefined;
}) {
  const [stay, setStay] = useState(0);
  const seconds = stays[stay]?.seconds;
  const { add } = uploading;
  const onFiles = useCallback(
    (files: File[], folders: string[]) => {
      if (folders.length > 0) say.bad(folderWords(folders));
      add(files, seconds, workspace);
    },
    [add, seconds, workspace],
  );
  return (
    <div className="mb-6 grid gap-3">
      <FileDrop
        label="Choose files"
        words="Drop files anywhere on this page: up to 500 MB each."
        name="Files to upload"
        many
        slim
        onFiles={onFiles}
      >
        <FilterSelect
          label="How long they stay"
          value={String(stay)}
          choices={stays.map(({ label }, place) => ({ value: String(place), label }))}
          onChange={(place) => setStay(Number(place))}
        />
      </FileDrop>
      {uploading.uploads.length > 0 && <List uploading={uploading} />}
    </div>
  );
}

const folderWords = ([first, ...more]: string[]): string =>
  more.length === 0
    ? `${first} is a folder. Open it, and drop the files in it.`
    : `${first} and ${more.length} more are folders. Open them, and drop the files in them.`;

function List({ uploading }: { uploading: Uploads }) {
  const { uploads, clear } = uploading;
  const under = uploads.filter(isOnItsWay).length;
  const ended = (state: Upload["state"]) => uploads.filter((each) => each.state === state).length;
  const words = [
    ...(under > 0 ? [`${plural(under, "file")} on the way`] : []),
    ...(["done", "stopped", "failed"] as const)
      .filter((state) => ended(state) > 0)
      .map((state) => `${ended(state)} ${state}`),
  ];
  return (
    <Card className="grid gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="font-semibold">Uploads</h2>
        <p role="status" className="flex-1 text-sm text-soft">
          {words.join(", ")}
        </p>
        {under < uploads.length && <Button onClick={clear}>Clear</Button>}
      </div>
      <ul aria-label="Uploads" className="grid max-h-96 gap-3 overflow-y-auto">
        {uploads.map((upload) => (
          <li key={upload.key}>
            <Line upload={upload} uploading={uploading} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Line({ upload, uploading }: { upload: Upload; uploading: Uploads }) {
  const { key, file, state, made } = upload;
  return (
    <div className="flex items-start gap-2">
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="flex min-w-0 items-center gap-2">
          <StateIcon state={state} />
          <span className="truncate font-medium" title={file.name}>
            {file.name}
          </span>
        </p>
        <Advance upload={upload} />
      </div>
      {made !== undefined && <CopyButton text={made.id} label="Copy id" />}
      {isOnItsWay(upload) && (
        <IconButton label={`Stop ${file.name}`} onClick={() => uploading.stop(key)}>
          <X size={16} aria-hidden />
        </IconButton>
      )}
      {(state === "stopped" || state === "failed") && file.size <= fileBytesMax && (
        <IconButton label={`Upload ${file.name} again`} onClick={() => uploading.retry(key)}>
          <RotateCw size={16} aria-hidden />
        </IconButton>
      )}
    </div>
  );
}

function StateIcon({ state }: Pick<Upload, "state">) {
  if (state === "done") return <CircleCheck size={16} aria-hidden className="shrink-0 text-good" />;
  if (state === "failed")
    return <TriangleAlert size={16} aria-hidden className="shrink-0 text-bad" />;
  if (state === "stopped") return <CircleX size={16} aria-hidden className="shrink-0 text-soft" />;
  return null;
}

function Advance({ upload }: { upload: Upload }) {
  const { file, state, bytes, error } = upload;
  if (state === "failed")
    return (
      <p role="alert" className="text-sm wrap-anywhere text-bad">
        {file.size > fileBytesMax ? (
          `It has ${bytesText(file.size)}: at most 500 MB (524,288,000 bytes) are taken.`
        ) : (
          <WithRequestIds text={sentenceOf(error)} />
        )}
      </p>
    );
  if (state !== "sending") return <p className="text-sm text-soft">{restWords(upload)}</p>;
  const share = file.size === 0 ? 1 : bytes / file.size;
  return (
    <ProgressBar label={file.name} share={share}>
      {share < 1
        ? `${bytesText(bytes)} of ${bytesText(file.size)}`
        : "All sent; the server takes it in…"}
    </ProgressBar>
  );
}

function restWords({ file: { size }, bytes, state }: Upload): string {
  if (state === "waiting") return `${bytesText(size)}, waiting for its turn`;
  if (state === "done") return `${bytesText(size)}, uploaded`;
  return bytes < size
    ? "Stopped. Nothing was kept of it."
    : "Stopped when all was sent: it may be in the list all the same.";
}
