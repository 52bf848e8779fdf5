// A picture that came from anywhere: drawn from its bytes, so that nothing in it is run.
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Skeleton } from "../page/skeleton.tsx";

/** What stands where there is nothing to show. */
export function Instead({ children }: { children: ReactNode }) {
  return <p className="rounded-md bg-sunken px-3 py-6 text-center text-soft">{children}</p>;
}

/** Without an address: the page's policy lets no picture in from elsewhere, and need not. */
export function DrawnPicture({ data, label }: { data: Blob | undefined; label: string }) {
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
      setBroken(bitmap === undefined);
      if (bitmap !== undefined) setSize(draw(canvas.current, bitmap));
    }
  }, [data]);
  if (isBroken) return <Instead>The browser cannot draw this picture. It may be damaged.</Instead>;
  return (
    <figure>
      <div className="rounded-md border border-line bg-sunken p-2">
        {size === undefined && <Skeleton className="h-40" />}
        <canvas
          ref={canvas}
          role="img"
          aria-label={label}
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
