// What is in a file, as far as it can be shown without being run: pictures are drawn, text is text.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { FileInfo } from "../kit/server/api.ts";
import { bytesText } from "../kit/value/sizes.ts";
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

function Instead({ children }: { children: ReactNode }) {
  return <p className="rounded-md bg-sunken px-3 py-6 text-center text-soft">{children}</p>;
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

/** Drawn from its bytes, without an address: the page's policy lets no picture in from elsewhere, and need not. */
function Picture({ file, workspace }: Props) {
  const { data, error, refetch } = useQuery(fileQueries.picture(workspace, file));
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (data === undefined) return undefined;
    const bytes = data;
    let isOver = false;
    void show();
    return () => void (isOver = true);
    async function show(): Promise<void> {
      const bitmap = await decoded(bytes);
      if (isOver) return;
      if (bitmap === undefined) setBroken(true);
      else setSize(draw(canvas.current, bitmap));
    }
  }, [data]);
  if (error !== null) return <TroubleBox error={error} retry={() => void refetch()} />;
  if (isBroken) return <Instead>The browser cannot draw this picture. It may be damaged.</Instead>;
  return (
    <figure>
      <div className="rounded-md border border-line bg-sunken p-2">
        {size === undefined && <Skeleton className="h-40" />}
        <canvas
          ref={canvas}
          role="img"
          aria-label={file.filename}
          hidden={size === undefined}
          className="mx-auto max-h-[46dvh] max-w-full object-contain"
        />
      </div>
      <figcaption className="mt-1.5 text-sm text-soft">{size ?? "Loading"}</figcaption>
    </figure>
  );
}

/** More than a screen has is not kept. */
const pixelsMax = 2_048;

function draw(canvas: HTMLCanvasElement | null, bitmap: ImageBitmap): string {
  const { width, height } = bitmap;
  const scale = Math.min(1, pixelsMax / Math.max(width, height));
  if (canvas !== null) {
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  }
  bitmap.close();
  return `${width} × ${height} pixels`;
}

async function decoded(bytes: Blob): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(bytes);
  } catch {
    return undefined;
  }
}
