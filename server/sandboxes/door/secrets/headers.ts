// Secrets put into the headers of a request.
import { doorLimits } from "../limits.ts";
import { asBytes, type DoorSecret } from "./secrets.ts";

const { placeholdersMax } = doorLimits;

export interface ChangedHeaders {
  /** Names and values in turn. */
  headers: string[];
  used: Set<DoorSecret>;
  /** How many placeholders there were. */
  count: number;
  /** Coded texts that a secret is in, and that would come back as they are. */
  sent: string[];
}

export function putIntoHeaders(
  headers: readonly string[],
  secrets: readonly DoorSecret[],
): ChangedHeaders {
  const inHeaders = secrets.filter(({ places }) => places.header);
  const used = new Set<DoorSecret>();
  const sent: string[] = [];
  let count = 0;
  const put = (text: string): string => {
    let changed = text;
    for (const secret of inHeaders) {
      if (!changed.includes(secret.placeholder)) continue;
      used.add(secret);
      changed = changed.replaceAll(secret.placeholder, () => {
        count += 1;
        // Not made where there are too many: each may be as long as a head.
        return count > placeholdersMax ? "" : asBytes(secret.value);
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
  return { headers: changed, used, count, sent };
}

/** Name and password, coded: a placeholder in them cannot be seen from outside. */
function readBasic(value: string): { scheme: string; plain: string } | undefined {
  const [, scheme, code] = /^(basic +)([A-Za-z0-9+/]+={0,2})$/i.exec(value.trim()) ?? [];
  if (scheme === undefined || code === undefined) return undefined;
  return { scheme, plain: Buffer.from(code, "base64").toString("latin1") };
}
