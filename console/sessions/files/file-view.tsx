// One file of a sandbox: what is in it, as far as it can be shown without being run, and the way to have it.
import { useMutation, useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { Button } from "../../kit/page/button.tsx";
import { say } from "../../kit/page/say.ts";
import { Skeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { WorkspaceEntry } from "../../kit/server/api.ts";
import { saveAs } from "../../kit/server/save-as.ts";
import { DrawnPicture, Instead } from "../../kit/picture/picture.tsx";
import { bytesText } from "../../kit/value/sizes.ts";
import { Time } from "../../kit/value/time.tsx";
import { bytesMaxOf, contentOf, fileQueries, type FilePlace } from "./file-queries.ts";
import { kindOf, printed } from "./workspace-entries.ts";

export function FileView({ place, entry }: { place: FilePlace; entry: WorkspaceEntry }) {
  const { name, type, size_bytes: size, modified_at: at } = entry;
  const download = useMutation({
    mutationFn: async () => saveAs(await (await contentOf(place)).blob(), name),
    onError: (error) => say.error(error),
  });
  if (kindOf(entry) !== "file") return <Instead>This is no file that can be read.</Instead>;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button busy={download.isPending} onClick={() => download.mutate()}>
          <Download size={16} aria-hidden />
          Download
        </Button>
        <span className="text-sm text-soft">
          {type === "link" ? "A link" : bytesText(size)} · <Time at={at} />
        </span>
      </div>
      <Preview place={place} entry={entry} />
    </div>
  );
}

function Preview({ place, entry }: { place: FilePlace; entry: WorkspaceEntry }) {
  const { name, type, size_bytes: size } = entry;
  const most = bytesMaxOf(name);
  const isLarge = type === "file" && size > most;
  const isEmpty = type === "file" && size === 0;
  const { data, error, refetch } = useQuery({
    ...fileQueries.preview(place, entry),
    enabled: !isLarge && !isEmpty,
  });
  if (isEmpty) return <Instead>The file is empty.</Instead>;
  if (isLarge || data === "too_large")
    return <Instead>Up to {bytesText(most)} of such a file are shown here: download it.</Instead>;
  if (error !== null) return <TroubleBox error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-40" />;
  if (data === "no_text")
    return <Instead>This is neither text nor a picture that can be shown: download it.</Instead>;
  if (data.kind === "picture") return <DrawnPicture data={data.data} label={printed(name)} />;
  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label={`Content of ${printed(name)}`}
      className="max-h-[60dvh] overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-sm leading-5 whitespace-pre-wrap wrap-anywhere"
    >
      {data.text}
    </pre>
  );
}
