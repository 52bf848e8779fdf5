// Secrets put into the headers of a request.
import { asBytes } from "./search.ts";
import type { DoorSecret, SecretRoom } from "./secrets.ts";

export interface ChangedHeaders {
  /** Names and values in turn. */
  headers: string[];
  used: Set<DoorSecret>;
  /** There was no room for all of them. */
  isTooMuch: boolean;
  /** Coded texts that a secret is in, and that would come back as they are. */
  sent: string[];
}

export function putIntoHeaders(
  headers: readonly string[],
  secrets: readonly DoorSecret[],
  room: SecretRoom,
): ChangedHeaders {
  const inHeaders = secrets.filter(({ places }) => places.header);
  const used = new Set<DoorSecret>();
  const sent: string[] = [];
  let isTooMuch = false;
  const put = (text: string): string => {
    let changed = text;
    for (const secret of inHeaders) {
      if (!changed.includes(secret.placeholder)) continue;
      used.add(secret);
      const value = asBytes(secret.value);
      changed = changed.replaceAll(secret.placeholder, () => {
        isTooMuch ||= !room.take(value.length);
        return isTooMuch ? "" : value;
      });
    }
    return changed;
  };
  const changed = headers.map((text, at) => {
    if (at % 2 === 0) return text;
    const coded = /^authorization$/i.test(headers[at - 1] ?? "") ? readBasic(text) : undefined;
    if (coded === undefined) return put(text);
    const plain = put(coded.plain);
    if (plain === coded.plain) return text;
    const code = Buffer.from(plain, "latin1").toString("base64");
    sent.push(code);
    return coded.scheme + code;
  });
  return { headers: changed, used, isTooMuch, sent };
}

/** Name and password, coded: a placeholder in them cannot be seen from outside. */
function readBasic(value: string): { scheme: string; plain: string } | undefined {
  const [, scheme, code] = /^(basic +)([A-Za-z0-9+/]+={0,2})$/i.exec(value.trim()) ?? [];
  if (scheme === undefined || code === undefined) return undefined;
  return { scheme, plain: Buffer.from(code, "base64").toString("latin1") };
}
