// Requests to addresses that clients chose: one outside the public internet is refused as it is connected to.
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress, rangesOf, type AddressRanges } from "../../base/addresses.ts";
import type { World } from "../../context.ts";
import type { Destination, OutsideConnection } from "./connections.ts";
import { asFailure, OutsideFailure, plainHttp, refusedAddress, tooLate } from "./failure.ts";

export interface OutsideAsk {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** Of the answer; more is refused. */
  bytesMax: number;
  /** The status is all that matters: the answer is left where its body begins, also that of a redirect. */
  ignoresBody?: true;
  /** A redirect is an answer without a body, for a caller that judges itself where it leads. */
  takesRedirects?: true;
  /** A longer answer is cut, and so is one that is not whole in time: what came of it is the answer. */
  cutsBody?: true;
  /** Also to the public internet: nothing secret goes there, and what comes is believed as a stranger's word. */
  mayBePlain?: true;
  /** The caller no longer waits. */
  signal?: AbortSignal;
  /** From the first look at the name to the last byte of the answer. */
  timeoutMs: number;
  /** In place of the authorities that the machine trusts. */
  caCertPem?: string | undefined;
  /** Name resolution, where it is not the machine's own. */
  lookup?: typeof systemLookup;
}

export interface OutsideAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** There is more of the body than this. */
  isCut: boolean;
}

/** The section `network` of the settings. */
export interface NetworkSettings {
  allow_private_addresses?: string[];
}

const noRanges = rangesOf([]);
const rangesBySettings = new WeakMap<NetworkSettings, AddressRanges>();

function allowedPrivate({ sections }: Pick<World, "sections">): AddressRanges {
  const settings = sections?.["network"] as NetworkSettings | undefined;
  if (settings?.allow_private_addresses === undefined) return noRanges;
  let ranges = rangesBySettings.get(settings);
  if (ranges === undefined)
    rangesBySettings.set(settings, (ranges = rangesOf(settings.allow_private_addresses)));
  return ranges;
}

/** For connections that are no questions of ours: `private` ones are refused. */
export function judgeAddress(
  world: Pick<World, "sections">,
  address: string,
): "allowed" | "public" | "private" {
  if (allowedPrivate(world).has(address)) return "allowed";
  return isPublicAddress(address) ? "public" : "private";
}

/**
 * Why the address would be refused, known without a request: for a caller that is about to store it. The name is
 * resolved when it is connected to, since it may lead elsewhere by then.
 */
export function outsideProblem(
  world: Pick<World, "sections">,
  url: string,
  { mayBePlain = false }: { mayBePlain?: boolean } = {},
): OutsideFailure | undefined {
  if (!URL.canParse(url))
    return new OutsideFailure("url", "must be an address (a URL) that begins with https://.");
  const { protocol, hostname, username, password } = new URL(url);
  const allowed = allowedPrivate(world);
  if (protocol !== "https:" && protocol !== "http:")
    return new OutsideFailure("scheme", "must begin with https://.");
  if (username !== "" || password !== "")
    return new OutsideFailure("url", "must not hold a user name or a password.");
  const isPlain = protocol === "http:" && !mayBePlain;
  const literal = literalOf(hostname);
  if (literal === undefined) return isPlain && allowed === noRanges ? plainHttp() : undefined;
  if (allowed.has(literal)) return undefined;
  if (!isPublicAddress(literal)) return refusedAddress(literal);
  return isPlain ? plainHttp() : undefined;
}

/** However it was spelled: the URL has made one of it. */
function literalOf(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return isIP(bare) === 0 ? undefined : bare;
}

/** One question and its whole answer: no redirects are followed, no compression. Throws the reason of its signal. */
export async function fetchOutside(
  world: Pick<World, "sections" | "outside">,
  url: string,
  ask: OutsideAsk,
): Promise<OutsideAnswer> {
  const problem = outsideProblem(world, url, ask);
  if (problem !== undefined) throw problem;
  ask.signal?.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ask.timeoutMs);
  const ends = ask.signal === undefined ? late.signal : AbortSignal.any([late.signal, ask.signal]);
  try {
    return await askThere(world, new URL(url), ask, ends);
  } catch (error) {
    if (late.signal.aborted) throw tooLate(ask.timeoutMs);
    ask.signal?.throwIfAborted();
    throw asFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A connection that is kept may have been closed by its peer in this moment: where not a byte of an answer came, a GET
 * is asked once more over a new one. A POST always goes over a new one: whether it was received before the connection
 * ended cannot be known. The code of a sign-in is good for one time, and a webhook would count an attempt as failed,
 * and pause, for a connection that was open on our side alone. Its answer is not read, so it would keep none itself.
 */
async function askThere(
  world: Pick<World, "sections" | "outside">,
  url: URL,
  ask: OutsideAsk,
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  const kept =
    ask.method === "POST" ? undefined : world.outside.takeKept(destinationOf(world, url, ask));
  try {
    if (kept !== undefined) return await exchange(kept, url, ask, signal);
  } catch (error) {
    if (signal.aborted || kept?.isSilent() !== true) throw error;
  }
  return exchange(openOutside(world, url, ask), url, ask, signal);
}

export type Reach = Pick<OutsideAsk, "mayBePlain" | "caCertPem" | "lookup" | "timeoutMs">;

function destinationOf(world: Pick<World, "sections">, { origin }: URL, reach: Reach): Destination {
  const { lookup = systemLookup, caCertPem, mayBePlain = false } = reach;
  return { origin, allowed: allowedPrivate(world), mayBePlain, caCertPem, lookup };
}

/** A new connection, whose addresses are checked as it is made. */
export function openOutside(
  world: Pick<World, "sections" | "outside">,
  url: URL,
  reach: Reach,
): OutsideConnection {
  const destination = destinationOf(world, url, reach);
  const { allowed, mayBePlain, lookup } = destination;
  const isPlain = url.protocol === "http:" && !mayBePlain;
  const checked = checkedLookup(addressCheck(allowed, isPlain), isPlain, lookup);
  return world.outside.open(destination, { lookup: checked, timeoutMs: reach.timeoutMs });
}

/** What was not read to its end ends with its connection. */
async function exchange(
  connection: OutsideConnection,
  url: URL,
  ask: OutsideAsk,
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  try {
    const answer = await readAnswer(connection, url, ask, signal);
    if (isLeft(answer, ask) || answer.isCut) connection.destroy();
    else connection.keep();
    return answer;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

const isRedirect = ({ status }: Pick<OutsideAnswer, "status">) => status >= 300 && status < 400;

/** Its body is not read. */
const isLeft = (
  answer: Pick<OutsideAnswer, "status">,
  { ignoresBody, takesRedirects }: OutsideAsk,
) => ignoresBody === true || (takesRedirects === true && isRedirect(answer));

async function readAnswer(
  { client }: OutsideConnection,
  { pathname, search }: URL,
  ask: OutsideAsk,
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  const { method = "GET", headers = {}, body } = ask;
  const answer = await client.request({
    path: `${pathname}${search}`,
    method,
    signal,
    headers: { "accept-encoding": "identity", ...headers },
    ...(body !== undefined && { body }),
  });
  const { statusCode: status } = answer;
  // The reader of the body reports the error that ends the connection; here there is none.
  const leave = <T>(result: T): T => {
    answer.body.on("error", () => {}).destroy();
    return result;
  };
  if (isLeft({ status }, ask))
    return leave({ status, headers: answer.headers, body: Buffer.alloc(0), isCut: false });
  if (isRedirect({ status }))
    throw leave(
      new OutsideFailure(
        "redirect",
        `answered with a redirect (${status}), which is not followed.`,
      ),
    );
  const encoding = answer.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity")
    throw leave(new OutsideFailure("unreachable", "answered with a compressed body."));
  const read = await readBody(answer.body as AsyncIterable<Buffer>, ask, signal);
  return { status, headers: answer.headers, ...read };
}

async function readBody(
  chunksOf: AsyncIterable<Buffer>,
  { bytesMax, cutsBody, signal: given }: OutsideAsk,
  signal: AbortSignal,
): Promise<Pick<OutsideAnswer, "body" | "isCut">> {
  const chunks: Buffer[] = [];
  let length = 0;
  const cut = () => ({ body: Buffer.concat(chunks).subarray(0, bytesMax), isCut: true });
  try {
    for await (const chunk of chunksOf) {
      length += chunk.length;
      if (length <= bytesMax || cutsBody) chunks.push(chunk);
      if (length <= bytesMax) continue;
      if (cutsBody) return cut();
      throw new OutsideFailure("too_large", `answered with more than ${bytesMax} bytes.`);
    }
  } catch (error) {
    if (cutsBody && signal.aborted && given?.aborted !== true) return cut();
    throw error;
  }
  return { body: Buffer.concat(chunks), isCut: false };
}

type AddressCheck = (address: string) => boolean;

/** What the operator has allowed goes over either scheme, the public internet over https unless it may be plain. */
const addressCheck =
  (allowed: AddressRanges, isPlain: boolean): AddressCheck =>
  (address) =>
    allowed.has(address) || (!isPlain && isPublicAddress(address));

/**
 * The addresses that are connected to are the ones that were checked: a second look at the name, which might give
 * another answer, never happens. A name with some good addresses is reached at those.
 */
function checkedLookup(
  mayConnect: AddressCheck,
  isPlain: boolean,
  lookup: typeof systemLookup,
): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, "", 0);
      const good = found.filter(({ address }) => mayConnect(address));
      const [first] = good;
      if (first === undefined) return done(refusal(found, isPlain), "", 0);
      if (options.all === true) done(null, good);
      else done(null, first.address, first.family);
    });
  };
}

function refusal(found: readonly LookupAddress[], isPlain: boolean): OutsideFailure {
  const [{ address } = { address: "nothing" }] = found;
  return isPlain && isPublicAddress(address) ? plainHttp() : refusedAddress(address);
}
