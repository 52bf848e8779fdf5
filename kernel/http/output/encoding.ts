// Which codings a client takes, and texts that are compressed once for all clients that take the coding.
import { gzipSync } from "node:zlib";
import { bytes, type Headers, type Reply } from "./reply.ts";

/** `gzip, br;q=0` takes gzip, and br never. */
export const takes = (accepted: string | undefined, name: string): boolean =>
  (accepted ?? "").split(",").some((item) => {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return coding === name && !isRefused;
  });

/** For a text that is the same for all: what is long to send is compressed when it is first asked for so. */
export function sameForAll(
  content: string,
  type: string,
  headers: Headers,
): (accepted: string | undefined) => Reply {
  let packed: Buffer | undefined;
  // Also on the uncompressed answer: a cache must not give one client's coding to all.
  const all = { ...headers, vary: "accept-encoding" };
  return (accepted) =>
    takes(accepted, "gzip")
      ? bytes((packed ??= gzipSync(content)), type, { ...all, "content-encoding": "gzip" })
      : bytes(content, type, all);
}
