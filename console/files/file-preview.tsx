// What is in a file, as far as it can be shown without being run: pictures are drawn, text is text.
import { useQuery } from "@tanstack/react-query";
import type { FileInfo } from "../kit/server/api.ts";
import { bytesText } from "../kit/value/sizes.ts";
import { DrawnPicture, Instead } from "../kit/picture/picture.tsx";
import { fileQueries, pictureBytesMax, previewBytesMax } from "./file-queries.ts";
import { isExpired, isText, kindOf, stayOf } from "./files.ts";
import { Skeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

interface Props {
  file: FileInfo;
  workspace: string | undefined;
}

export function FilePreview({ file, workspace }: Props) {
  const kind = kindOf(file);
  if (isExpired(file)) return <Instead>{stayOf(file).long}</Instead>;
  if (file.size_bytes === 0) return <Instead>The file is empty.</Instead>;
  if (isText(file)) return <Text file={file} workspace={workspace} />;
  if (kind === "pdf")
    return <Instead>The console runs no documents: download the PDF, and open it.</Instead>;
  if (kind !== "image") return <Instead>There is no preview of this kind of file.</Instead>;
  if (file.size_bytes > pictureBytesMax)
    return <Instead>Pictures of up to {bytesText(pictureBytesMax)} are shown here.</Instead>;
  return <Picture file={file} workspace={workspace} />;
}

function Text({ file, workspace }: Props) {
  const { data, error, refetch } = useQuery(fileQueries.text(workspace, file));
  if (error !== null) return <TroubleBox error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-40" />;
  return (
    <>
      <pre
        tabIndex={0}
        role="region"
        aria-label={`Content of ${file.filename}`}
        className="max-h-[46dvh] overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-sm leading-5 whitespace-pre-wrap wrap-anywhere"
      >
        {data}
      </pre>
      {file.size_bytes > previewBytesMax && (
        <p className="mt-1.5 text-sm text-soft">
          The first {bytesText(previewBytesMax)} of {bytesText(file.size_bytes)}.
        </p>
      )}
    </>
  );
}

function Picture({ file, workspace }: Props) {
  const { data, error, refetch } = useQuery(fileQueries.picture(workspace, file));
  if (error !== null) return <TroubleBox error={error} retry={() => void refetch()} />;
  return <DrawnPicture data={data} label={file.filename} />;
}
