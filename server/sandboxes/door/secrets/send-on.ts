// A request goes on with the secrets in it that its target may have, and the reply comes back without them.
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Answer } from "../answers.ts";
import {
  answer,
  brokenOff,
  type Exchange,
  exchange,
  type ForwardedRequest,
  isPlain,
  pairs,
  Unsendable,
  withoutNames,
} from "../exchange.ts";
import { doorLimits } from "../limits.ts";
import { putIntoHeaders } from "./headers.ts";
import { replacing } from "./replacing.ts";
import { Search } from "./search.ts";
import { type DoorSecret, SecretRoom, type SecretsFor } from "./secrets.ts";

export interface SendingOn extends Omit<Exchange, "hiding"> {
  secrets: SecretsFor;
  /** Else the placeholders go on as they are. */
  mayHave: boolean;
}

export async function sendOn(
  request: ForwardedRequest,
  { secrets, mayHave, ...rest }: SendingOn,
): Promise<void> {
  const { response, socket } = rest;
  const changed = await putInto(request, secrets, mayHave);
  if (changed === undefined || response.destroyed) {
    response.destroy();
    return void socket.destroy();
  }
  if ("status" in changed) {
    answer(response, changed);
    return void socket.destroy();
  }
  // Of one that is closed already no event would come any more.
  if (socket.destroyed) return answer(response, brokenOff(request.target));
  await exchange(changed, { ...rest, hiding: secrets.hiding() });
}

/** Undefined where the sandbox broke off. */
async function putInto(
  request: ForwardedRequest,
  secrets: SecretsFor,
  mayHave: boolean,
): Promise<ForwardedRequest | Answer | undefined> {
  if (!mayHave || secrets.all.length === 0) return request;
  const room = new SecretRoom();
  const { headers, used, isTooMuch, sent } = putIntoHeaders(request.headers, secrets.all, room);
  if (isTooMuch) return tooMuch;
  secrets.remember(sent);
  for (const secret of used) if (!(await secrets.willBeUsed(secret))) return notNoted;
  const withHeaders = { ...request, headers: used.size > 0 ? uncoded(headers) : headers };
  const inBody = secrets.all.filter(({ places }) => places.body);
  if (inBody.length === 0) return withHeaders;
  try {
    return await putIntoBody(withHeaders, inBody, { secrets, room });
  } catch (error) {
    return error instanceof Unsendable ? error.answer : undefined;
  }
}

const notNoted: Answer = {
  status: 503,
  phrase: "Not possible just now",
  sentence: "That a credential is used could not be written down just now. Try again in a moment.",
};
const tooMuch: Answer = {
  status: 413,
  phrase: "Too many placeholders",
  sentence: `A request may hold ${doorLimits.placeholdersMax} placeholders of credentials, and ${doorLimits.secretBytesMax} bytes of their secrets, at most. Send several requests.`,
};

/** What comes back in another coding could not be looked through. */
const uncoded = (headers: readonly string[]): string[] =>
  withHeaders(headers, { "accept-encoding": "identity" });

/** In the place of those of the same names. */
const withHeaders = (headers: readonly string[], changed: Record<string, string>): string[] => [
  ...withoutNames(headers, Object.keys(changed)),
  ...Object.entries(changed).flat(),
];

/** Throws `Unsendable`, and where the body breaks off. */
async function putIntoBody(
  request: ForwardedRequest,
  inBody: readonly DoorSecret[],
  { secrets, room }: { secrets: SecretsFor; room: SecretRoom },
): Promise<ForwardedRequest> {
  const told = new Map(pairs(request.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const length = told.get("content-length");
  const hasBody = told.has("transfer-encoding") || Number(length ?? 0) > 0;
  if (!hasBody || !isPlain(told.get("content-encoding"))) return request;
  const write = writerFor(told.get("content-type"));
  const search = new Search(inBody.map(({ placeholder }) => placeholder));
  const values = inBody.map(({ value }) => Buffer.from(write(value)));
  const changing = replacing(search, async (index) => {
    const [secret, value] = [inBody[index], values[index]];
    if (secret === undefined || value === undefined || !room.take(value.length))
      throw new Unsendable(tooMuch);
    if (!(await secrets.willBeUsed(secret))) throw new Unsendable(notNoted);
    return value;
  });
  request.body.once("error", (error) => changing.destroy(error));
  request.body.pipe(changing);
  const headers = uncoded(request.headers);
  if (length === undefined) return { ...request, headers, body: changing };
  if (Number(length) > doorLimits.changedBodyBytesMax) {
    const rest = withoutNames(headers, ["content-length"]);
    return { ...request, headers: [...rest, "transfer-encoding", "chunked"], body: changing };
  }
  const whole = await buffer(changing);
  return {
    ...request,
    headers: withHeaders(headers, { "content-length": `${whole.length}` }),
    body: Readable.from([whole], { objectMode: false }),
  };
}

/** As the body writes texts. */
function writerFor(type = ""): (value: string) => string {
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return encodeURIComponent;
  if (/[/+]json\b/i.test(type)) return (value) => JSON.stringify(value).slice(1, -1);
  return (value) => value;
}
