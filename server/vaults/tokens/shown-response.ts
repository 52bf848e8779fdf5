// Answers of other servers as they are shown: cut, and without the secrets that they may repeat.
import type { OutsideAnswer } from "../../../kernel/http/outside/fetch.ts";
import { limits } from "../limits.ts";
import type { HttpResponse } from "../credentials/schema.ts";

/** Read beyond what is shown, so that a secret which begins there is whole, and found. */
export const shownBytesRead = limits.shownBodyCharactersMax + 8 * limits.secretCharactersMax;
const mark = "[secret]";

export function shownResponse(
  { status, headers, body, isCut }: OutsideAnswer,
  secrets: readonly string[],
): HttpResponse {
  const text = scrubbed(body.toString("utf8"), secrets);
  const shown = text.slice(0, limits.shownBodyCharactersMax);
  const type = headers["content-type"];
  return {
    status_code: status,
    content_type: scrubbed((Array.isArray(type) ? type[0] : type) ?? "", secrets),
    // PostgreSQL does not keep it, but JSON readers take no half pair.
    body: shown.toWellFormed(),
    body_truncated: isCut || shown.length < text.length,
  };
}

/** As it is, and as JSON, forms and addresses spell it. */
function spellings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret);
  return [
    secret,
    json,
    json.replaceAll("/", "\\/"),
    percent,
    percent.replaceAll("%20", "+"),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
  ];
}

function scrubbed(text: string, secrets: readonly string[]): string {
  const all = [...new Set(secrets.filter((each) => each !== "").flatMap(spellings))];
  // The longest first: one may be a part of another.
  return all
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, each) => rest.replaceAll(each, mark), text);
}
