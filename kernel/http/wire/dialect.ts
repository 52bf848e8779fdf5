// Version and beta headers, in the vendor-neutral and in the client's spelling: one meaning.
import type { IncomingHttpHeaders } from "node:http";
import { invalid, notFound, type Failure } from "../../base/failure.ts";
import type { Dialect } from "../../context.ts";
import type { BetaRule } from "../route.ts";

/** Every date that was ever a version, and the words it speaks. */
const dialectByVersion: Record<string, Dialect> = {
  "2023-01-01": "2023-06-01",
  "2023-06-01": "2023-06-01",
  "2026-10-21": "2026-10-21",
};

/** A program that sets `vendor-version` itself wins over the `anthropic-version` of its client library. */
export function dialectOf(headers: IncomingHttpHeaders): Dialect {
  const name = headers["vendor-version"] === undefined ? "anthropic-version" : "vendor-version";
  const version = single(headers[name]);
  if (version === undefined || version === "") return "2023-06-01";
  const dialect = dialectByVersion[version.trim()];
  if (dialect === undefined)
    throw invalid(
      `The ${name} header: ${quote(version)} is not a version of this API. Send 2026-10-21 or 2023-06-01, or leave it out.`,
    );
  return dialect;
}

const noBetas: ReadonlySet<string> = new Set();

export function betasOf(headers: IncomingHttpHeaders): ReadonlySet<string> {
  const vendor = headers["vendor-beta"];
  const client = headers["anthropic-beta"];
  if (vendor === undefined && client === undefined) return noBetas;
  const names = [vendor, client].flat().join(",").split(",");
  return new Set(names.map((name) => name.trim()).filter((name) => name !== ""));
}

/** What a route's beta rule says of this request; undefined when it may pass. */
export function betaFailure(
  rule: BetaRule,
  headers: IncomingHttpHeaders,
  route: string,
): Failure | undefined {
  const betas = betasOf(headers);
  const { name, gate, or, excludes } = rule;
  if (excludes !== undefined && betas.has(name)) {
    const beside = [...betas].find((beta) => beta.startsWith(excludes));
    if (beside !== undefined)
      return invalid(
        `The beta ${name} stands alone on this route: drop ${beside} from the ${headerWith(beside, headers)} header.`,
      );
  }
  if (betas.has(name) || (or !== undefined && betas.has(or))) return undefined;
  const names = or === undefined ? name : `${name} or ${or}`;
  if (gate === "always")
    return invalid(
      `This route is in beta: send the header vendor-beta: ${names} (or anthropic-beta).`,
    );
  return gate === "hidden" || gate === dialectOf(headers) ? notFound("route", route) : undefined;
}

/** The header that brought it. */
const headerWith = (beta: string, headers: IncomingHttpHeaders): string =>
  betasOf({ "vendor-beta": headers["vendor-beta"] }).has(beta) ? "vendor-beta" : "anthropic-beta";

export const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

const quote = (text: string) => JSON.stringify(text.slice(0, 40));
