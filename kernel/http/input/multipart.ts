// Forms with files: fields bounded in memory, files handed on as streams.
import type { HttpRequest } from "../wire/http-exchange.ts";
import { PassThrough, Readable } from "node:stream";
import { Busboy, type BusboyHeaders } from "@fastify/busboy";
import { invalid, tooLarge } from "../../base/failure.ts";
import { readChunks } from "./body.ts";
import { fieldName } from "../validate/field-path.ts";
import { givenName, lastPart, tidyPath } from "./filename.ts";
import { httpLimits } from "../limits.ts";

/** Marks a route's body as multipart/form-data, with its limits. */
export interface Multipart {
  multipart: {
    fileBytesMax: number;
    filesMax: number;
    fieldBytesMax: number;
    /** The name of every part that may come, files included. */
    fields: readonly string[];
    /** Parts of these names are files, with a filename or without, and no others are; else all that have one. */
    files?: readonly string[];
    /** What is kept of a filename: the `path` within a folder; its `last` part, maybe empty; all that was `given`. */
    filenames?: "path" | "last" | "given";
  };
}

export interface FormFile {
  field: string;
  /** A relative path with `/` between its steps, and no `..` in it; or one name, which may be empty; or anything. */
  filename: string;
  type: string;
  content: Readable;
}

/**
 * Fields that stood before a file are known when the file comes; all of them, when `files` has ended.
 * A reader that asks for the next file is done with the one before: what is left of that is skipped.
 */
export interface Form {
  fields: Record<string, string>;
  files: AsyncIterable<FormFile>;
}

type Parser = InstanceType<typeof Busboy>;

export const multipart = (rules: Multipart["multipart"]): Multipart => ({ multipart: rules });

/** Resolves with the first file, or at the end of a form without one. */
export async function readForm(
  request: HttpRequest,
  { multipart: rules }: Multipart,
  bytesMax: number,
): Promise<Form> {
  expectForm(request);
  expectFormSize(request, rules, bytesMax);
  const queue = fileQueue();
  const fields: Record<string, string> = {};
  const parser = openParser(request, rules, fields, queue);
  const feeding = feed(request, parser, bytesMax, queue);
  feeding.then(
    () => queue.finish(),
    (error: unknown) => queue.fail(error),
  );
  await queue.begun;
  return { fields, files: { [Symbol.asyncIterator]: () => queue } };
}

function expectForm({ headers }: HttpRequest): void {
  const type = headers["content-type"] ?? "";
  if (!/^multipart\/form-data\s*(;|$)/i.test(type))
    throw invalid(
      `The content-type is ${JSON.stringify(type.slice(0, 40))}; this route takes multipart/form-data.`,
      { status: 415 },
    );
  if (!/;\s*boundary=("[^"]{1,70}"|[^\s;"]{1,70})/i.test(type))
    throw invalid("The content-type names no boundary; let your HTTP library set this header.");
}

/** What a form holds, of a caller who came by another protocol. */
export interface FormParts {
  fields: Record<string, string>;
  files: readonly { field: string; filename: string; type: string; bytes: Buffer }[];
}

/** By the same rules for names and sizes of files; which parts there are is the caller's matter. */
export function formFrom({ multipart: rules }: Multipart, { fields, files }: FormParts): Form {
  const nameOf = filenamesKept[rules.filenames ?? "path"];
  const kept = files.map(({ field, filename, type, bytes }): FormFile => {
    if (bytes.length > rules.fileBytesMax)
      throw tooLarge(`${field}: is larger than ${rules.fileBytesMax} bytes.`);
    return { field, filename: nameOf(field, filename), type, content: Readable.from([bytes]) };
  });
  return {
    fields,
    files: (async function* () {
      yield* kept;
    })(),
  };
}

/** Names the file, because it is the file that is too large. */
function expectFormSize(
  { headers }: HttpRequest,
  { fileBytesMax, filesMax }: Multipart["multipart"],
  bytesMax: number,
): void {
  if (Number(headers["content-length"] ?? 0) <= bytesMax) return;
  const allowed = filesMax === 1 ? "a file" : `${filesMax} files`;
  throw tooLarge(
    `The form is larger than ${bytesMax} bytes; it takes ${allowed} of at most ${fileBytesMax} bytes.`,
  );
}

function openParser(
  request: HttpRequest,
  rules: Multipart["multipart"],
  fields: Record<string, string>,
  queue: FileQueue,
): Parser {
  const parser = new Busboy({
    headers: request.headers as BusboyHeaders,
    preservePath: true,
    limits: {
      fieldSize: rules.fieldBytesMax,
      fileSize: rules.fileBytesMax,
      files: rules.filesMax,
      fields: rules.fields.length,
      headerPairs: httpLimits.partHeadersMax,
      headerSize: httpLimits.partHeaderBytesMax,
    },
    isPartAFile: (name, _type, filename) =>
      filename !== undefined || rules.files?.includes(name ?? "") === true,
  });
  const guard = (act: () => void) => {
    try {
      act();
    } catch (error) {
      queue.fail(error);
    }
  };
  parser.on("field", (name, value, _nameCut, valueCut) =>
    guard(() => {
      expectKnown(name, rules);
      if (valueCut)
        throw tooLarge(`${name}: is larger than ${rules.fieldBytesMax} bytes; shorten it.`);
      if (Object.hasOwn(fields, name)) throw invalid(`${name}: is given twice; give it once.`);
      if (value.includes("\0")) throw invalid(`${name}: holds the character U+0000; leave it out.`);
      fields[name] = value;
    }),
  );
  parser.on("file", (field, part, filename, _encoding, type) => {
    const content = shielded(part);
    guard(() => {
      expectKnown(field, rules);
      if (rules.files?.includes(field) === false)
        throw invalid(`${field}: comes as a file; send it as a plain field, without a filename.`);
      const path = filenamesKept[rules.filenames ?? "path"](field, filename);
      part.on("limit", () =>
        queue.fail(
          tooLarge(`${`${field} ${path}`.trim()}: is larger than ${rules.fileBytesMax} bytes.`),
        ),
      );
      queue.add({ field, filename: path, type, content });
    });
  });
  parser.on("filesLimit", () =>
    queue.fail(invalid(`The form has more files than ${rules.filesMax}; send fewer.`)),
  );
  parser.on("fieldsLimit", () =>
    queue.fail(invalid(`The form has more fields than ${rules.fields.length}; send each once.`)),
  );
  parser.on("error", () => queue.fail(malformed()));
  return parser;
}

const filenamesKept = {
  path: tidyPath,
  last: lastPart,
  given: givenName,
} satisfies Record<string, (field: string, filename: string) => string>;

const malformed = () => invalid("The form is malformed or ends before its last boundary.");

/** The parser's stream breaks with errors of its own, and stops the whole form when it is left half-read. */
function shielded(part: Readable): Readable {
  const content = new PassThrough();
  content.on("error", () => {}); // without a listener, a client that goes away would end the process
  content.on("close", () => {
    part.unpipe(content);
    part.resume();
  });
  part.on("error", () => content.destroy(malformed()));
  return part.pipe(content);
}

function expectKnown(name: string | undefined, { fields }: Multipart["multipart"]): void {
  if (name === undefined || name === "")
    throw invalid("A part of the form has no name; give it one in its content-disposition.");
  if (!fields.includes(name))
    throw invalid(
      `${fieldName(name)}: is not a known field of this form; known are ${fields.join(", ")}.`,
    );
}

/** The parser takes a chunk when the file that it belongs to is being read: that is the back-pressure. */
async function feed(
  request: HttpRequest,
  parser: Parser,
  bytesMax: number,
  queue: FileQueue,
): Promise<void> {
  const finished = new Promise<void>((resolve) => void parser.on("finish", resolve));
  for await (const chunk of readChunks(request, bytesMax)) {
    if (queue.stopped()) return;
    await new Promise<void>((resolve) => {
      queue.onStop(resolve);
      request.once("close", resolve);
      parser.write(chunk, () => {
        request.off("close", resolve);
        resolve();
      });
    });
    if (queue.stopped()) return;
  }
  parser.end();
  await finished;
}

interface FileQueue extends AsyncIterator<FormFile> {
  /** When the first file has come, or the end; rejects when the form broke before. */
  begun: Promise<void>;
  add(file: FormFile): void;
  finish(): void;
  fail(error: unknown): void;
  stopped(): boolean;
  onStop(act: () => void): void;
}

function fileQueue(): FileQueue {
  const files: FormFile[] = [];
  const begin = Promise.withResolvers<void>();
  let current: Readable | undefined;
  let state: "open" | "finished" | "stopped" | { error: unknown } = "open";
  let wake: () => void = () => {};
  let stop: () => void = () => {};
  const settle = (next: typeof state) => {
    if (state !== "open") return;
    state = next;
    wake();
    stop();
  };
  return {
    begun: begin.promise,
    stopped: () => state !== "open",
    onStop: (act) => {
      stop = act;
    },
    add: (file) => {
      files.push(file);
      begin.resolve();
      wake();
    },
    finish: () => {
      settle("finished");
      begin.resolve();
    },
    fail: (error) => {
      settle({ error });
      begin.reject(error);
      const cause = error instanceof Error ? error : undefined;
      current?.destroy(cause);
      for (const { content } of files.splice(0)) content.destroy(cause);
    },
    next: async () => {
      current?.resume();
      current = undefined;
      for (;;) {
        if (typeof state === "object") throw state.error;
        const file = files.shift();
        if (file !== undefined) {
          current = file.content;
          return { done: false, value: file };
        }
        if (state !== "open") return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    return: async () => {
      settle("stopped");
      current?.destroy();
      for (const { content } of files.splice(0)) content.destroy();
      return { done: true, value: undefined };
    },
  };
}
