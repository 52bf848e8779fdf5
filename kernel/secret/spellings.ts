// How a secret may be spelled where another program writes it.

/** As it is, and in texts of JSON, addresses and base 64. */
export function spellingsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret);
  const bytes = Buffer.from(secret);
  return [
    secret,
    json,
    json.replaceAll("/", String.raw`\/`),
    percent,
    percent.replaceAll(/%../g, (code) => code.toLowerCase()),
    percent.replaceAll("%20", "+"),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    ...insideBase64(bytes),
  ];
}

/** What is the same of it whatever stands before and after: it begins at each of three places. */
function insideBase64(bytes: Buffer): string[] {
  const codes = [0, 1, 2].map((before) => {
    const code = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const first = Math.ceil((before * 8) / 6);
    return code.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
  });
  // Of a short one it is next to nothing, which may stand anywhere.
  return codes
    .filter((code) => code.length >= insideCharactersMin)
    .flatMap((code) => [code, code.replaceAll("-", "+").replaceAll("_", "/")]);
}
const insideCharactersMin = 6;

/** A text in which the mark stands for each of them, however they are spelled. */
export function makeScrub(secrets: readonly string[], mark: string): (text: string) => string {
  const all = [...new Set(secrets.filter((each) => each !== "").flatMap(spellingsOf))];
  // The longest first: one may be a part of another.
  const sorted = all.toSorted((one, other) => other.length - one.length);
  return (text) => sorted.reduce((rest, each) => rest.replaceAll(each, mark), text);
}
