// One line of a file of requests: whether it is one, and what the body needs around it.
import { textOf } from "../../client/batches/lines.ts";
import {
  batchLimits,
  idFaultOf,
  isObject,
  unknownFieldOf,
  type KnownIds,
} from "../../client/batches/request.ts";
import { formatCount } from "../../client/text/words.ts";
import { escapeControls } from "../print-answer.ts";
import { CliError } from "../terminal.ts";

/** The most that the API accepts, and so the most ids that are remembered. */
const { requestsMax } = batchLimits;

/** How a line becomes a request: so many of its bytes are cut, then these go before and after it. */
export interface LineFrame {
  skip: number;
  before: string;
  after: string;
}

export interface LineChecker {
  /** Throws a sentence with the line's number where it is no request. */
  whole(bytes: Buffer, line: number): LineFrame;
  /** The same for a line that is too long for memory: by its beginning. */
  long(start: Buffer, line: number): LineFrame;
}

export interface LineCheckerOptions {
  /** The file's name, for sentences. */
  name: string;
  /** Lines without an id get one. */
  number: boolean;
}

const asItIs: LineFrame = { skip: 0, before: "", after: "" };
const shape = '{"custom_id": …, "params": {…}}';

export function makeLineChecker({ name, number }: LineCheckerOptions): LineChecker {
  const known: KnownIds = new Map();
  let requests = 0;

  const refuse = (line: number, sentence: string) =>
    new CliError(`${name}, line ${line} ${sentence}`);

  function numbered(line: number, frame: LineFrame, what: string): LineFrame {
    if (number) return frame;
    throw refuse(
      line,
      `${what}: a line is ${shape}. With --number it gets the custom_id ${idOf(line)}.`,
    );
  }

  function frameOf(text: string, line: number): { frame: LineFrame; id: unknown } {
    const value = parse(text, (reason) => refuse(line, `is not JSON: ${reason}.`));
    if (!isObject(value)) throw refuse(line, `is not an object: a line is ${shape}.`);
    const { custom_id: id, params } = value;
    if (id === undefined && params === undefined)
      return { frame: numbered(line, bare(line), "is a bare message request"), id: idOf(line) };
    const strange = unknownFieldOf(value);
    if (strange !== undefined)
      throw refuse(line, `has the field ${escapeControls(strange)}: a line is ${shape}.`);
    if (!isObject(params))
      throw refuse(line, `has no params that are an object: a line is ${shape}.`);
    if (id !== undefined) return { frame: asItIs, id };
    const skip = Buffer.byteLength(text.slice(0, text.indexOf("{") + 1));
    const frame = { skip, before: `{"custom_id":"${idOf(line)}",`, after: "" };
    return { frame: numbered(line, frame, "has no custom_id"), id: idOf(line) };
  }

  function countIn(line: number): void {
    requests++;
    if (requests > requestsMax)
      throw refuse(
        line,
        `is one too many: a batch has at most ${formatCount(requestsMax)} requests.`,
      );
  }

  return {
    whole: (bytes, line) => {
      const text = textOf(bytes);
      if (text === undefined) throw refuse(line, "is not UTF-8 text.");
      countIn(line);
      const { frame, id } = frameOf(text, line);
      const fault = idFaultOf(id, line, known);
      if (fault === undefined) return frame;
      throw refuse(
        line,
        fault.kind === "twice"
          ? `has the custom_id ${fault.id}, as line ${fault.lineBefore} has: each is there once.`
          : "has a custom_id that is not 1 to 64 letters, digits, _ and -.",
      );
    },
    long: (start, line) => {
      countIn(line);
      const text = start.toString("latin1", 0, 256).trimStart();
      if (!text.startsWith("{")) throw refuse(line, `is not an object: a line is ${shape}.`);
      if (/^\{\s*"(custom_id|params)"\s*:/.test(text)) return asItIs;
      return numbered(line, bare(line), "is a bare message request");
    },
  };
}

const idOf = (line: number) => `line-${line}`;

const bare = (line: number): LineFrame => ({
  skip: 0,
  before: `{"custom_id":"${idOf(line)}","params":`,
  after: "}",
});

function parse(text: string, refusal: (reason: string) => CliError): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = (error as Error).message
      .replace(/(?: in JSON)? at position \d+ \(line \d+ column (\d+)\)$/, ", at column $1")
      .replace(/ is not valid JSON$/, "");
    throw refusal(escapeControls(reason));
  }
}
