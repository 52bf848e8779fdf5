// Texts of the simulator: always the same for the same input, in ASCII so that lengths are easy to hit.

const sentences = [
  "It reads what you send, counts it, and answers by fixed rules.",
  "The same request always gets the same answer, so tests can rely on it.",
  "Nothing leaves this machine while you talk to it.",
  "Effort decides how long this answer is and how long it was thought about.",
  "Directives in double brackets make it refuse, fail, call tools or say what you want.",
  "Usage is exact: four bytes are one token, rounded up piece by piece.",
  "Point an alias at an upstream of your own to talk to a real model.",
  "Streaming gives one token at a time, and the whole is the same without it.",
] as const;

const bytesPerToken = 4;

/** So many sentences of the bank, the first one chosen by the key; never more than there are. */
export function sentencesFor(key: string, count: number): string {
  if (count === 0) return "";
  const start = hashOf(key) % sentences.length;
  return Array.from(
    { length: Math.min(count, sentences.length) },
    (_, index) => sentences[(start + index) % sentences.length],
  ).join(" ");
}

/** A text of exactly so many tokens. */
export function filler(tokens: number): string {
  const round = `${sentences.join(" ")} `;
  const bytes = tokens * bytesPerToken;
  return round.repeat(Math.ceil(bytes / round.length)).slice(0, bytes);
}

/** A thought of exactly so many tokens, from a sentence that the key chooses. */
export function thought(key: string, tokens: number): string {
  const opening = "Let me see what is asked for. ";
  const text = `${opening}${sentencesFor(key, sentences.length)} ${filler(tokens)}`;
  return text.slice(0, tokens * bytesPerToken);
}

/** The beginning of a text on one line. Of a long one the rest is mostly not looked at: 6 µs less for 2 KB. */
export function excerpt(text: string, charactersMax: number): string {
  const begun = text.slice(0, charactersMax * 2);
  if (begun.length < text.length) {
    const short = shortened(onOneLine(begun), charactersMax);
    if (short !== undefined) return short;
  }
  const line = onOneLine(text);
  return shortened(line, charactersMax) ?? line;
}

/** Each run of blanks is one space; those that are one already are left alone. */
const onOneLine = (text: string) => text.replaceAll(/[^\S ]\s*| \s+/g, " ").trim();

/** Undefined where the line is short enough. */
function shortened(line: string, charactersMax: number): string | undefined {
  const end = Math.min(line.length, charactersMax * 2);
  let at = 0;
  for (let count = 0; count < charactersMax && at < end; count++)
    at += (line.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at < end ? `${line.slice(0, at)}...` : undefined;
}

/** FNV-1a; `before` is the hash of the text that this one goes on from. */
export function hashOf(text: string, before = 0x811c9dc5): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
