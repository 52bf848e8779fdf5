// `plinth memory …`: its commands; what each does is loaded when it is asked for.
import { InvalidArgumentError, type Command } from "commander";
import * as help from "./memory/help.ts";
import { parseAddress, storeName, type MemoryAddress } from "./memory/memory-address.ts";
import { idsOption, positiveInteger, urlOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import type {
  CreateFlags,
  DiffFlags,
  ExportFlags,
  Flags,
  GetFlags,
  ImportFlags,
  LogFlags,
  LsFlags,
  PutFlags,
  RedactFlags,
  RmFlags,
} from "./memory/options.ts";

export function addMemory(plinth: Command, terminal: Terminal): void {
  const memory = plinth
    .command("memory")
    .description(
      "texts that agents and people keep, with every version; with the key in PLINTH_API_KEY",
    )
    .addHelpText("after", help.examples);
  addCreate(memory, terminal);
  addLs(memory, terminal);
  addGet(memory, terminal);
  addPut(memory, terminal);
  addEdit(memory, terminal);
  addRm(memory, terminal);
  addLog(memory, terminal);
  addDiff(memory, terminal);
  addRedact(memory, terminal);
  addExport(memory, terminal);
  addImport(memory, terminal);
}

const placeArgument = ["<STORE:/path>", "a memory, as in notes:/todo.md", parseAddress] as const;

function addCreate(memory: Command, terminal: Terminal): void {
  memory
    .command("create")
    .description("make a store without memories, and print its id")
    .argument("<name>", "what it is called; agents see it")
    .option("--description <text>", "what is in it; agents see that too")
    .option("--json", "print the store as one JSON object")
    .option("--quiet", "print the id alone")
    .option(...urlOption)
    .action(async (name: string, flags: CreateFlags) =>
      (await import("./memory/create.ts")).create(terminal, name, flags),
    );
}

function addLs(memory: Command, terminal: Terminal): void {
  memory
    .command("ls")
    .description("the stores of the key's workspace, or what is in one")
    .argument("[STORE[:/path]]", "a store, a folder in it, or a memory")
    .option("-r, --recursive", "all that is in folders too: a tree on a terminal, else whole paths")
    .option("-l, --long", "ids, hashes, bytes and exact times")
    .option("--all", "archived stores too")
    .option("--json", "print one JSON object, with items as the API gives them")
    .option(...urlOption)
    .action(async (what: string | undefined, flags: LsFlags) =>
      (await import("./memory/ls.ts")).ls(terminal, what, flags),
    );
}

function addGet(memory: Command, terminal: Terminal): void {
  memory
    .command("get")
    .description("write the bytes of a memory to standard output")
    .argument(...placeArgument)
    .option("--out <file>", "write them to this file instead")
    .option("--version <id>", "as it was in this version, also if it is deleted now", version)
    .option("--json", "print the memory, or the version, as one JSON object")
    .option("--quiet", "with --out: do not say how much it was")
    .option(...urlOption)
    .action(async (at: MemoryAddress, flags: GetFlags) =>
      (await import("./memory/get.ts")).get(terminal, at, flags),
    );
}

function addPut(memory: Command, terminal: Terminal): void {
  memory
    .command("put")
    .description("write a file, standard input or all of a folder into a store")
    .argument("<STORE:/path>", "where to; with a slash at its end, into that folder", parseAddress)
    .argument("[file]", "what to write; a folder with all in it; - is standard input", "-")
    .option("--create", "only what is new: refuse to write over anything")
    .option("--expect <sha256>", "only over the text that has this hash", sha256)
    .option("--all", "of a folder, hidden files too")
    .option("--json", "print one JSON object with what was created, updated and left as it was")
    .option("--quiet", "print nothing")
    .option(...urlOption)
    .addHelpText("after", help.put)
    .action(async (at: MemoryAddress, file: string, flags: PutFlags) =>
      (await import("./memory/put.ts")).put(terminal, at, file, flags),
    );
}

function addEdit(memory: Command, terminal: Terminal): void {
  memory
    .command("edit")
    .description("open a memory in $VISUAL or $EDITOR, and write it back")
    .argument(...placeArgument)
    .option("--json", "print what was written as one JSON object")
    .option("--quiet", "print nothing")
    .option(...urlOption)
    .addHelpText("after", help.edit)
    .action(async (at: MemoryAddress, flags: Flags) =>
      (await import("./memory/edit.ts")).edit(terminal, at, flags),
    );
}

function addRm(memory: Command, terminal: Terminal): void {
  memory
    .command("rm")
    .description("delete a memory, a folder of them, or a whole store")
    .argument("<STORE[:/path]>", "a memory; with -r a folder; with --store a store")
    .option("-r, --recursive", "all that is in a folder")
    .option("--store", "the whole store, with all versions")
    .option("--yes", "do not ask first; needed where there is no terminal to ask at")
    .option("--json", "print what was deleted as one JSON object")
    .option("--quiet", "print nothing")
    .option(...urlOption)
    .addHelpText("after", help.rm)
    .action(async (what: string, flags: RmFlags) =>
      (await import("./memory/rm.ts")).rm(terminal, what, flags),
    );
}

function addLog(memory: Command, terminal: Terminal): void {
  memory
    .command("log")
    .description("versions of a store or of one memory, newest first")
    .argument("<STORE[:/path]>", "a store, or a memory, also one that is deleted")
    .option("--limit <N>", "how many", positiveInteger, 20)
    .option(...idsOption)
    .option("--json", "print one JSON object, with versions as the API gives them")
    .option(...urlOption)
    .action(async (what: string, flags: LogFlags) =>
      (await import("./memory/log.ts")).log(terminal, what, flags),
    );
}

function addDiff(memory: Command, terminal: Terminal): void {
  memory
    .command("diff")
    .description("what changed in a memory, as diff -u writes it")
    .argument(...placeArgument)
    .argument("[version...]", "one: what changed since; two: between them; none: at the last write")
    .option("--file <file>", "what would change if this file were written; - is standard input")
    .option("-U, --context <N>", "same lines around each change", wholeNumber, 3)
    .option("--exit-code", "end with 4 if there is a difference")
    .option("--json", "print one JSON object with the difference in it")
    .option("--quiet", "print nothing where there is no difference")
    .option(...urlOption)
    .addHelpText("after", help.diff)
    .action(async (at: MemoryAddress, versions: string[], flags: DiffFlags) =>
      (await import("./memory/show-diff.ts")).diff(terminal, at, versions, flags),
    );
}

function addRedact(memory: Command, terminal: Terminal): void {
  memory
    .command("redact")
    .description("scrub text, path and hash of versions for good")
    .argument("<STORE>", "the id or the name of a store", storeName)
    .argument("<version...>", "the ids of versions")
    .option("--reason <text>", "why; it stays with the version, so do not repeat what goes")
    .option("--yes", "do not ask first; needed where there is no terminal to ask at")
    .option("--json", "print the versions, as they are now, as one JSON object")
    .option("--quiet", "print nothing")
    .option(...urlOption)
    .addHelpText("after", help.redact)
    .action(async (store: string, versions: string[], flags: RedactFlags) =>
      (await import("./memory/redact.ts")).redact(terminal, store, versions, flags),
    );
}

function addExport(memory: Command, terminal: Terminal): void {
  memory
    .command("export")
    .description("write a store with its history as a tar")
    .argument("<STORE>", "the id or the name of a store", storeName)
    .option("--out <file>", "to this file, which is there when it is whole; else standard output")
    .option("--json", "with --out: print one JSON object that says what was written")
    .option("--quiet", "with --out: show no progress")
    .option(...urlOption)
    .addHelpText("after", help.exported)
    .action(async (store: string, flags: ExportFlags) =>
      (await import("./memory/export.ts")).exportStore(terminal, store, flags),
    );
}

function addImport(memory: Command, terminal: Terminal): void {
  memory
    .command("import")
    .description("make a store of a tar, and print its id")
    .argument("<file>", "an export, or any tar of texts, gzipped or not; - is standard input")
    .option("--name <name>", "what the store is called, instead of what the tar says")
    .option("--description <text>", "what is in it, instead of what the tar says")
    .option("--json", "print the store as one JSON object, with what was imported")
    .option("--quiet", "print the id alone, and no progress")
    .option(...urlOption)
    .addHelpText("after", help.imported)
    .action(async (file: string, flags: ImportFlags) =>
      (await import("./memory/import.ts")).importStore(terminal, file, flags),
    );
}

function version(text: string): string {
  if (!/^\w[\w-]*$/.test(text))
    throw new InvalidArgumentError("It must be the id of a version, such as memver_01m7….");
  return text;
}

function sha256(text: string): string {
  const hash = text.toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw new InvalidArgumentError("It must be a SHA-256: 64 hexadecimal digits.");
  return hash;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(text);
}
