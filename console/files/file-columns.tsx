// What a list of files shows of each: what it is, how long it stays, and who may fetch it.
import {
  File,
  FileArchive,
  FileImage,
  FileMusic,
  FileSpreadsheet,
  FileText,
  FileVideo,
  type LucideIcon,
} from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Column } from "../kit/list/table.tsx";
import type { FileInfo } from "../kit/server/api.ts";
import { Badge } from "../kit/value/badge.tsx";
import { bytesText } from "../kit/value/sizes.ts";
import type { Choice } from "./chosen-files.tsx";
import { isExpired, kindOf, originOf, stayOf, type Kind } from "./files.ts";

export const fileColumns = (choice: Choice, show: (file: FileInfo) => void): Column<FileInfo>[] => [
  nameColumn<FileInfo>({
    className: "md:min-w-40 xl:min-w-56",
    before: (file) => <Before file={file} choice={choice} />,
    name: ({ filename }) => (
      <span className="line-clamp-2" title={filename}>
        {filename}
      </span>
    ),
    below: ({ mime_type: type }) => <span className="text-xs">{type}</span>,
    opens: (file) => () => show(file),
  }),
  { title: "Size", cell: (file) => bytesText(file.size_bytes), className: "whitespace-nowrap" },
  timeColumn("Created", ({ created_at: at }) => at),
  { title: "Expires", cell: (file) => <Stay file={file} />, className: "xl:whitespace-nowrap" },
  { title: "Origin", cell: (file) => <Origin file={file} />, className: "xl:whitespace-nowrap" },
];

const icons: Record<Kind, LucideIcon> = {
  image: FileImage,
  pdf: FileText,
  text: FileText,
  sheet: FileSpreadsheet,
  archive: FileArchive,
  sound: FileMusic,
  film: FileVideo,
  other: File,
};

function Before({ file, choice }: { file: FileInfo; choice: Choice }) {
  const Icon = icons[kindOf(file)];
  return (
    <>
      <input
        type="checkbox"
        aria-label={`Choose ${file.filename}`}
        checked={choice.ids.has(file.id)}
        onChange={() => choice.toggle(file.id)}
        className="mt-1 size-4 shrink-0 accent-accent max-md:mt-3"
      />
      <Icon size={18} aria-hidden className="mt-0.5 shrink-0 text-soft max-md:mt-2.5" />
    </>
  );
}

function Stay({ file }: { file: FileInfo }) {
  const { short, long } = stayOf(file);
  if (isExpired(file))
    return (
      <span title={long}>
        <Badge tone="warn">{short}</Badge>
        <span className="block text-sm text-soft">Its content is gone</span>
      </span>
    );
  return (
    <span title={long}>
      <span className={file.expires_at === null ? "text-soft" : "whitespace-nowrap"}>{short}</span>
      {file.expires_at !== null && (
        <span className="block text-sm text-soft">Then its content goes</span>
      )}
    </span>
  );
}

function Origin({ file }: { file: FileInfo }) {
  const { words, session, reach, reason } = originOf(file);
  return (
    <span title={session === undefined ? reason : `${reason} Session ${session}.`}>
      {words}
      <span className="block text-sm text-soft">{reach}</span>
    </span>
  );
}
