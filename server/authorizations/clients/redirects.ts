// Where a browser may go back to: which addresses a program may register, and which of a request fit them.
import { loopbackHosts } from "../../../kernel/base/host-name.ts";

export type ApplicationType = "native" | "web";
type Kind = "loopback" | "https" | "private";

/** Schemes that browsers, and not programs of a person's machine, do something with. */
const takenSchemes =
  /^(about|blob|chrome|data|edge|file|filesystem|ftp|javascript|mailto|resource|sms|tel|vbscript|view-source|wss?|x-javascript):$/;

/** Why it may not be registered, or what it is. */
function judge(uri: string): { kind: Kind } | { problem: string } {
  if (!/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return { problem: "is no address" };
  if (uri.includes("#")) return { problem: "has a part behind #" };
  if (uri.includes("*")) return { problem: "has a * in it; register each address by itself" };
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== "" || password !== "") return { problem: "has a user or a password in it" };
  if (protocol === "https:") return { kind: "https" };
  if (protocol === "http:")
    return loopbackHosts.includes(hostname)
      ? { kind: "loopback" }
      : { problem: "is neither https nor on the person's own machine" };
  if (takenSchemes.test(protocol)) return { problem: `begins with ${protocol}` };
  return { kind: "private" };
}

/** Rule AUT16. Undefined when all is well. */
export function redirectProblem(uri: string, type: ApplicationType): string | undefined {
  const judged = judge(uri);
  if ("problem" in judged) return judged.problem;
  const isWeb = judged.kind === "https" && !loopbackHosts.includes(new URL(uri).hostname);
  return type === "web" && !isWeb
    ? "is none of a program with application_type web, which has https addresses of the internet alone; register it as native"
    : undefined;
}

/** What OpenID takes for granted, web, is wrong of the many that go back to the person's machine and do not say so. */
export const typeOf = (uris: readonly string[]): ApplicationType =>
  uris.every((uri) => redirectProblem(uri, "web") === undefined) ? "web" : "native";

/** Rule AUT16: exactly what is registered, but for the port of a program on the person's own machine. */
export const fitsOneOf = (registered: readonly string[], uri: string): boolean =>
  registered.includes(uri) || registered.some((each) => isSameBesidesPort(each, uri));

function isSameBesidesPort(registered: string, uri: string): boolean {
  const [one, other] = [judge(registered), judge(uri)];
  const areLoopback = [one, other].every((each) => "kind" in each && each.kind === "loopback");
  return areLoopback && withoutPort(registered) === withoutPort(uri);
}

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = "";
  return url.href;
}

/** In words for the page. */
export function whereTo(uri: string): string {
  const { protocol, hostname, host } = new URL(uri);
  if (loopbackHosts.includes(hostname)) return `a program on this computer (${host})`;
  return protocol === "https:" ? host : `a program on this computer (${protocol}//)`;
}
