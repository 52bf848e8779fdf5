// Takes secrets out of what other servers write, however they spell them.

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

/** A text in which the mark stands for each of them. */
export function makeScrub(secrets: readonly string[], mark: string): (text: string) => string {
  const all = [...new Set(secrets.filter((each) => each !== "").flatMap(spellings))];
  // The longest first: one may be a part of another.
  const sorted = all.toSorted((one, other) => other.length - one.length);
  return (text) => sorted.reduce((rest, each) => rest.replaceAll(each, mark), text);
}
