// The table of files: what each is, how long it stays, and who may fetch it.
import { Menu } from "@base-ui/react/menu";
import {
  Code,
  Copy,
  Download,
  Ellipsis,
  Eye,
  File,
  FileArchive,
  FileImage,
  FileMusic,
  FileSpreadsheet,
  FileText,
  FileVideo,
  Trash2,
  type LucideIcon,
} from "lucide-react";
import type { FileInfo } from "../kit/server/api.ts";
import { bytesText } from "../kit/value/sizes.ts";
import { blockOf, isExpired, kindOf, originOf, stayOf, type Kind } from "./files.ts";
import { Badge } from "../kit/value/badge.tsx";
import { buttonClass } from "../kit/page/button.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";

export type FileAct = "show" | "use" | "download" | "copy" | "delete";

interface Props {
  files: readonly FileInfo[];
  chosen: ReadonlySet<string>;
  onChoose: (id: string) => void;
  onAct: (act: FileAct, file: FileInfo) => void;
}

export function FileTable({ files, ...props }: Props) {
  const columns: Column<FileInfo>[] = [
    {
      title: "Name",
      heads: true,
      className: "md:min-w-40 xl:min-w-56",
      cell: (file) => <Name file={file} {...props} />,
    },
    { title: "Size", cell: (file) => bytesText(file.size_bytes), className: "whitespace-nowrap" },
    { title: "Created", cell: ({ created_at: at }) => <Time at={at} /> },
    { title: "Expires", cell: (file) => <Stay file={file} />, className: "xl:whitespace-nowrap" },
    { title: "Origin", cell: (file) => <Origin file={file} />, className: "xl:whitespace-nowrap" },
    {
      title: "Acts",
      bare: true,
      className: "text-right",
      cell: (file) => <Acts file={file} onAct={props.onAct} />,
    },
  ];
  return <Table label="Files" columns={columns} rows={[...files]} keyOf={({ id }) => id} />;
}

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

function Name({ file, chosen, onChoose, onAct }: Omit<Props, "files"> & { file: FileInfo }) {
  const { id, filename, mime_type: type } = file;
  const Icon = icons[kindOf(file)];
  return (
    <div className="flex items-start gap-2.5">
      <input
        type="checkbox"
        aria-label={`Choose ${filename}`}
        checked={chosen.has(id)}
        onChange={() => onChoose(id)}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <Icon size={18} aria-hidden className="mt-0.5 shrink-0 text-soft" />
      <div className="min-w-0">
        <button
          type="button"
          title={filename}
          onClick={() => onAct("show", file)}
          className="line-clamp-2 text-left font-medium underline-offset-2 wrap-anywhere hover:underline"
        >
          {filename}
        </button>
        <span className="block text-xs wrap-anywhere text-soft">{type}</span>
      </div>
    </div>
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

const item =
  "flex items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover max-md:py-2.5";

function Acts({ file, onAct }: { file: FileInfo; onAct: Props["onAct"] }) {
  const act = (kind: FileAct, Icon: LucideIcon, label: string) => (
    <Menu.Item className={item} onClick={() => onAct(kind, file)}>
      <Icon size={16} aria-hidden />
      {label}
    </Menu.Item>
  );
  const isThere = !isExpired(file);
  return (
    <Menu.Root>
      <Menu.Trigger
        className={buttonClass("quiet", "icon")}
        aria-label={`What to do with ${file.filename}`}
      >
        <Ellipsis size={16} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} className="z-30">
          <Menu.Popup className="fade w-48 rounded-lg border border-line bg-surface p-1 text-left text-ink shadow-lift outline-none">
            {act("show", Eye, "Show")}
            {isThere && blockOf(file) !== undefined && act("use", Code, "Use in a message")}
            {isThere && act("download", Download, "Download")}
            {act("copy", Copy, "Copy id")}
            {act("delete", Trash2, "Delete")}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
