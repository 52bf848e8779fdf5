// Reads a file of batch requests as its chunks come, and tells what is in it and what is wrong, line by line.
import { formOf, textOf } from "../../../client/batches/lines.ts";
import { batchLimits, type KnownIds } from "../../../client/batches/request.ts";
import { formatCount } from "../../../client/text/words.ts";
import { makeItemCutter } from "./batch-body.ts";
import { frameBytes, makeLineCutter, withoutMark } from "./batch-lines.ts";
import { judgeRequest } from "./batch-request.ts";
import { joined } from "./bytes.ts";

const problemsShown = 100;
const previewsMax = 5;
const previewCharactersMax = 20_000;
/** The params, and what stands around them. */
const requestBytesMax = batchLimits.paramsBytesMax + 1_024;

export interface Problem {
  /** Undefined: it is about the whole file. */
  line: number | undefined;
  sentence: string;
}

export interface Preview {
  customId: string;
  model: string;
  maxTokens: string;
  said: string;
  /** The request whole, unless it is very long. */
  json: string | undefined;
}

export interface Report {
  /** One request on each line, or the body of the API: `{"requests": […]}`. */
  form: "lines" | "body";
  requests: number;
  /** Of the body that would be sent. */
  bodyBytes: number;
  /** The most used first; the empty name is of requests that name none. */
  models: [name: string, requests: number][];
  previews: Preview[];
  /** The first of them. */
  problems: Problem[];
  problemsInAll: number;
}

interface Reading extends Omit<Report, "models"> {
  models: Map<string, number>;
  known: KnownIds;
}

/** What takes the bytes once it is known which form the file has. */
interface Form {
  push(chunk: Uint8Array): void;
  end(): void;
}

/** So much of the beginning tells the form. */
const headBytes = 4_096;

export function makeFileReader() {
  const reading: Reading = {
    form: "lines",
    requests: 0,
    bodyBytes: 0,
    models: new Map(),
    previews: [],
    problems: [],
    problemsInAll: 0,
    known: new Map(),
  };
  let head = new Uint8Array();
  let form: Form | undefined;
  const begin = () => {
    form = readerOf(reading, head);
    form.push(reading.form === "lines" ? withoutMark(head) : head);
    return form;
  };
  return {
    push: (chunk: Uint8Array): void => {
      if (form !== undefined) return form.push(chunk);
      head = new Uint8Array(joined([head, chunk]));
      if (head.length >= headBytes) begin();
      return undefined;
    },
    end: (): Report => {
      (form ?? begin()).end();
      return reportOf(reading);
    },
  };
}

function readerOf(reading: Reading, head: Uint8Array): Form {
  const form = formOf(new TextDecoder().decode(head));
  if (form === "list") return listOf(reading);
  if (form === "body") return bodyOf(reading);
  const cutter = makeLineCutter(requestBytesMax, (line) => {
    reading.bodyBytes += line.length;
    take(reading, line);
  });
  const end = () => {
    cutter.end();
    reading.bodyBytes += frameBytes(reading.requests);
  };
  return { push: cutter.push, end };
}

function bodyOf(reading: Reading): Form {
  reading.form = "body";
  const cutter = makeItemCutter({
    bytesMax: requestBytesMax,
    onItem: (item) => take(reading, item),
    onProblem: (line, sentence) => note(reading, line, sentence),
  });
  const push = (chunk: Uint8Array) => {
    reading.bodyBytes += chunk.length;
    cutter.push(chunk);
  };
  return { push, end: cutter.end };
}

/** Told once, and not for each of its lines. */
function listOf(reading: Reading): Form {
  note(
    reading,
    1,
    'The file is a list. Put one request on each line, or the list into the body of the API: { "requests": [ … ] }.',
  );
  return { push: () => undefined, end: () => undefined };
}

interface Item {
  bytes: Uint8Array | undefined;
  length: number;
  line: number;
}

function take(reading: Reading, { bytes, length, line }: Item): void {
  reading.requests++;
  if (bytes === undefined)
    return note(
      reading,
      line,
      `Has ${formatCount(length)} bytes; one request takes at most 32 MiB.`,
    );
  const value = parsed(bytes);
  if ("fault" in value) return note(reading, line, value.fault);
  const { fault, model, ...told } = judgeRequest(value.json, line, reading.known);
  if (fault !== undefined) return note(reading, line, fault);
  reading.models.set(model, (reading.models.get(model) ?? 0) + 1);
  if (reading.previews.length === previewsMax) return undefined;
  const json = JSON.stringify(value.json, null, 2);
  const isLong = json.length > previewCharactersMax;
  reading.previews.push({ ...told, model, json: isLong ? undefined : json });
  return undefined;
}

function parsed(bytes: Uint8Array): { json: unknown } | { fault: string } {
  const text = textOf(bytes);
  if (text === undefined) return { fault: "This is not UTF-8." };
  try {
    return { json: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: `This is no JSON: ${error instanceof Error ? error.message : "unreadable"}.` };
  }
}

function note(reading: Reading, line: number, sentence: string): void {
  reading.problemsInAll++;
  if (reading.problems.length < problemsShown) reading.problems.push({ line, sentence });
}

function reportOf(reading: Reading): Report {
  const { form, requests, bodyBytes, previews, problems, problemsInAll } = reading;
  const { requestsMax, bodyBytesMax } = batchLimits;
  const whole: string[] = [];
  if (requests > requestsMax)
    whole.push(
      `There are ${formatCount(requests)} requests; a batch takes at most ${formatCount(requestsMax)}. Make several files of it.`,
    );
  if (bodyBytes > bodyBytesMax)
    whole.push(
      `The requests have ${formatCount(bodyBytes)} bytes; a batch takes at most ${formatCount(bodyBytesMax)}. Make several files of it.`,
    );
  if (requests === 0 && problemsInAll === 0) whole.push("There is no request in this file.");
  return {
    form,
    requests,
    bodyBytes,
    previews,
    models: [...reading.models].sort(([, a], [, b]) => b - a),
    problems: [...whole.map((sentence) => ({ line: undefined, sentence })), ...problems],
    problemsInAll: problemsInAll + whole.length,
  };
}
