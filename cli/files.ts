// `plinth files …`: its commands and their help; what each does is loaded when it is asked for.
import { InvalidArgumentError, type Command } from "commander";
import { positiveInteger, urlOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import type { Flags, GetFlags, ListFlags, RmFlags, UploadFlags } from "./files/options.ts";

export function addFiles(plinth: Command, terminal: Terminal): void {
  const files = plinth
    .command("files")
    .description("files that messages may name by their id, with the key in PLINTH_API_KEY")
    .addHelpText("after", examples);
  addUpload(files, terminal);
  addList(files, terminal);
  addShow(files, terminal);
  addGet(files, terminal);
  addRm(files, terminal);
}

function addUpload(files: Command, terminal: Terminal): void {
  files
    .command("upload")
    .description("upload files, and print the id of each")
    .argument("<file...>", "what to upload, up to 500 MB each; - is standard input")
    .option("--expires <time>", "how long they stay: 1h to 90d; without it, until deleted", expiry)
    .option("--type <type>", "the media type, where the bytes do not tell it", mediaType)
    .option("--name <name>", "what the file is called; needed for standard input")
    .option("--json", "print one JSON object, with the files as the API gives them")
    .option("--quiet", "print the ids alone, and no progress")
    .option(...urlOption)
    .addHelpText("after", uploadHelp)
    .action(async (names: string[], flags: UploadFlags) =>
      (await import("./files/upload.ts")).upload(terminal, names, flags),
    );
}

function addList(files: Command, terminal: Terminal): void {
  files
    .command("list")
    .description("the files of the key's workspace, newest first")
    .option("--limit <N>", "how many, up to 1000", positiveInteger, 20)
    .option("--after <id>", "those that come after this one in the list", fileId)
    .option("--json", "print the page as one JSON object, as the API gives it")
    .option(...urlOption)
    .action(async (flags: ListFlags) => (await import("./files/list.ts")).list(terminal, flags));
}

function addShow(files: Command, terminal: Terminal): void {
  files
    .command("show")
    .description("what is known of a file")
    .argument("<id>", "the id of the file", fileId)
    .option("--json", "print it as one JSON object, as the API gives it")
    .option(...urlOption)
    .action(async (id: string, flags: Flags) =>
      (await import("./files/show.ts")).show(terminal, id, flags),
    );
}

function addGet(files: Command, terminal: Terminal): void {
  files
    .command("get")
    .description("write the bytes of a file that a tool made to standard output")
    .argument("<id>", "the id of the file", fileId)
    .option("--out <file>", "to this file, which is there when it is whole; - is standard output")
    .option("--json", "with --out: print one JSON object that says what was written")
    .option("--quiet", "with --out: show no progress")
    .option(...urlOption)
    .addHelpText("after", getHelp)
    .action(async (id: string, flags: GetFlags) =>
      (await import("./files/get.ts")).get(terminal, id, flags),
    );
}

function addRm(files: Command, terminal: Terminal): void {
  files
    .command("rm")
    .description("delete files with their bytes")
    .argument("<id...>", "the ids of the files", fileIds)
    .option("--yes", "do not ask first; needed where there is no terminal to ask at")
    .option("--json", "print what was deleted as one JSON object")
    .option("--quiet", "print nothing")
    .option(...urlOption)
    .addHelpText("after", rmHelp)
    .action(async (ids: string[], flags: RmFlags) =>
      (await import("./files/rm.ts")).rm(terminal, ids, flags),
    );
}

function fileId(text: string): string {
  if (!/^\w[\w-]*$/.test(text))
    throw new InvalidArgumentError("It must be the id of a file, such as file_01m7….");
  return text;
}

const fileIds = (text: string, before: string[] = []): string[] => [...before, fileId(text)];

const unitSeconds: Record<string, number> = { h: 3_600, d: 86_400 };
const daysMax = 90;

function expiry(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  const seconds = Number(number) * (unitSeconds[unit] ?? NaN);
  if (!(seconds >= 3_600 && seconds <= daysMax * 86_400))
    throw new InvalidArgumentError("It must be hours or days from 1h to 90d, such as 12h or 7d.");
  return seconds;
}

function mediaType(text: string): string {
  if (!/^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/i.test(text))
    throw new InvalidArgumentError("It must be a media type, such as text/markdown.");
  return text;
}

const examples = `
Examples:
  plinth files upload report.pdf                  its id is what messages name
  plinth files upload *.png --expires 7d
  date | plinth files upload - --name now.txt
  ID=$(plinth files upload report.pdf --quiet)
  plinth files rm $ID --yes

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;

const uploadHelp = `
All files are looked for before anything is sent. They go one after the other; when one is refused,
those before it stay, and it is said which. Files are read as they are sent, and never held in memory.
The server tells the media type from the bytes: --type counts for what they do not tell.`;

const getHelp = `
What was uploaded is not handed out over the API, so that a leaked key gives no documents away: people
download it in the console. What a tool made is.`;

const rmHelp = `
Messages that name a deleted file are refused, and so are requests of batches that have not run yet.`;
