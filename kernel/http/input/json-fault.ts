// Finds where a text stops being JSON: V8 names a position for some faults only, and quotes the text in others.

export interface JsonFault {
  line: number;
  column: number;
  /** The end of "The body is not JSON: …"; says nothing of what the text holds. */
  reason: string;
}

type State = "value" | "first value" | "first key" | "key" | "colon" | "after value";

const expected: Record<State, string> = {
  value: "a value was expected",
  "first value": "a value or ] was expected",
  "first key": "a field name in double quotes or } was expected",
  key: "a field name in double quotes was expected",
  colon: ": was expected after the field name",
  "after value": "a comma or the closing bracket was expected",
};

const numberAt = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const wordAt = /true|false|null/y;
const spaceAt = /[ \t\n\r]*/y;
// oxlint-disable-next-line no-control-regex
const plainAt = /[^"\\\u0000-\u001f]*/y;
const escapeAt = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Undefined when the text is JSON. One pass, no recursion: a text of brackets alone is no danger. */
export function jsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let state = "value" as State;
  let at = skip(spaceAt, text, 0);
  for (; at < text.length; at = skip(spaceAt, text, at)) {
    const character = text.charAt(at);
    if (state === "after value") {
      const inside = open.at(-1);
      if (inside === undefined) return fault(text, at, "it goes on after its end");
      if (character === (inside === "{" ? "}" : "]")) open.pop();
      else if (character === ",") state = inside === "{" ? "key" : "value";
      else return fault(text, at, expected[state]);
      at += 1;
    } else if (state === "colon") {
      if (character !== ":") return fault(text, at, expected[state]);
      state = "value";
      at += 1;
    } else if (closes(state, character)) {
      open.pop();
      state = "after value";
      at += 1;
    } else if (character === '"') {
      const end = stringEnd(text, at);
      if (typeof end !== "number") return end;
      state = state === "key" || state === "first key" ? "colon" : "after value";
      at = end;
    } else if (state === "key" || state === "first key") {
      return fault(text, at, expected[state]);
    } else if (character === "{" || character === "[") {
      open.push(character);
      state = character === "{" ? "first key" : "first value";
      at += 1;
    } else {
      const end = Math.max(skip(wordAt, text, at), skip(numberAt, text, at));
      if (end === at) return fault(text, at, expected[state]);
      if (/[\w.+-]/.test(text.charAt(end)))
        return fault(text, end, "a number or word is malformed");
      state = "after value";
      at = end;
    }
  }
  if (state === "after value" && open.length === 0) return undefined;
  return fault(text, at, text.trim() === "" ? "it is empty" : "it ends too early");
}

const closes = (state: State, character: string) =>
  (state === "first key" && character === "}") || (state === "first value" && character === "]");

function stringEnd(text: string, start: number): number | JsonFault {
  for (let at = start + 1; ;) {
    at = skip(plainAt, text, at);
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character === "") return fault(text, at, "a string is not closed");
    if (character !== "\\")
      return fault(text, at, "a string holds a control character that is not escaped");
    const end = skip(escapeAt, text, at);
    if (end === at) return fault(text, at, "a backslash in a string starts no known escape");
    at = end;
  }
}

/** Where the pattern's match at `from` ends; `from` when there is none. */
function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function fault(text: string, at: number, reason: string): JsonFault {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - lineStart + 1, reason };
}
