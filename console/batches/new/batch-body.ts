// Requests cut out of the body of a batch as its bytes come, each with the line that it begins on.
import { isBlank, newline } from "../../../client/batches/lines.ts";
import { makePieces } from "./bytes.ts";

interface Cutting {
  /** A longer item is not kept, only told by its length. */
  bytesMax: number;
  onItem: (item: { bytes: Uint8Array | undefined; length: number; line: number }) => void;
  onProblem: (line: number, sentence: string) => void;
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

interface State {
  /** Before the list, in it, behind it; or where nothing can be told any more. */
  at: "head" | "list" | "rest" | "broken";
  line: number;
  item: ReturnType<typeof makePieces>;
  itemLine: number;
  items: number;
  depth: number;
  inString: boolean;
  isEscaped: boolean;
  rest: string;
}

/** Takes what begins as `{"requests":`, and looks no further into a request than its brackets go. */
export function makeItemCutter(cutting: Cutting) {
  const state: State = {
    at: "head",
    line: 1,
    item: makePieces(cutting.bytesMax),
    itemLine: 1,
    items: 0,
    depth: 0,
    inString: false,
    isEscaped: false,
    rest: "",
  };
  return {
    push: (chunk: Uint8Array): void => {
      let from = state.at === "head" ? passHead(state, cutting, chunk) : 0;
      while (state.at === "list" && from < chunk.length)
        from = passItem(state, cutting, chunk, from);
      if (state.at === "rest")
        state.rest = (state.rest + text(chunk.subarray(from))).slice(0, 1_000);
    },
    end: (): void => end(state, cutting),
  };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function end(state: State, { onProblem }: Cutting): void {
  const { at, line, itemLine, depth, inString, rest } = state;
  if (at === "list" && (depth > 0 || inString))
    onProblem(itemLine, "The file ends in the middle of the request that begins here.");
  else if (at === "list") onProblem(line, "The file ends before the list of requests does.");
  else if (at === "rest" && !/^\s*\}\s*$/.test(rest))
    onProblem(line, "Behind the list of requests only one } may stand.");
}

/** Whoever chose this form has seen the colon: it is in the first chunk, and so is the value behind it. */
function passHead(state: State, cutting: Cutting, chunk: Uint8Array): number {
  let at = chunk.indexOf(colon) + 1;
  while (at < chunk.length && isBlank(chunk[at] ?? 0)) at++;
  for (const byte of chunk.subarray(0, at)) if (byte === newline) state.line++;
  state.at = chunk[at] === openList ? "list" : "broken";
  if (state.at === "broken") cutting.onProblem(state.line, "requests must be a list: [ … ].");
  return at + 1;
}

/** Up to the end of the item or of the chunk. A loop over every byte of up to 256 MB: its state is in variables. */
function passItem(state: State, cutting: Cutting, chunk: Uint8Array, begin: number): number {
  let from = begin;
  let at = begin;
  let { depth, inString, isEscaped, line } = state;
  let isEmpty = state.item.length === 0;
  let by = 0;
  for (; at < chunk.length && by === 0; at++) {
    const byte = chunk[at] ?? 0;
    if (byte === newline) line++;
    if (isEscaped) isEscaped = false;
    else if (inString) {
      if (byte === quote) inString = false;
      else if (byte === backslash) isEscaped = true;
    } else if (isEmpty && isBlank(byte)) from = at + 1;
    else if (depth === 0 && (byte === comma || byte === closeList || byte === closeObject))
      by = byte;
    else {
      if (isEmpty) state.itemLine = line;
      isEmpty = false;
      if (byte === quote) inString = true;
      else if (byte === openObject || byte === openList) depth++;
      else if (byte === closeObject || byte === closeList) depth--;
    }
  }
  Object.assign(state, { depth, inString, isEscaped, line });
  state.item.add(chunk.subarray(from, by === 0 ? at : at - 1));
  if (by !== 0) finish(state, cutting, by);
  return at;
}

function finish(state: State, cutting: Cutting, by: number): void {
  const { item, itemLine, line } = state;
  const { length } = item;
  if (by === closeObject) {
    state.at = "broken";
    cutting.onProblem(line, "The list of requests is not closed: a ] must stand before this }.");
  } else if (by === closeList) state.at = "rest";
  if (length > 0) cutting.onItem({ bytes: item.take(), length, line: itemLine });
  else if (by === comma || state.items > 0)
    cutting.onProblem(line, "Here is a comma too many: a request is missing.");
  state.items++;
}
