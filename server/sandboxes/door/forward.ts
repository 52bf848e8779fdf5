// Requests in plain HTTP: taken as a proxy takes them, and sent on as the target expects them.
import type { IncomingMessage, ServerResponse } from "node:http";
import { judgeAddress } from "../../../kernel/http/outside/fetch.ts";
import { type Answer, tooMany } from "./answers.ts";
import { answer, fault, type ForwardedRequest, headersToSend, noCoding } from "./exchange.ts";
import { connectTo, type Reach, refuse } from "./reach.ts";
import { sendOn } from "./secrets/send-on.ts";
import { readAbsolute } from "./target.ts";

export async function forward(
  reach: Reach,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const end = reach.begin();
  if (end === undefined) return answer(response, tooMany);
  response.sendDate = false;
  try {
    const request = read(reach, incoming);
    if ("status" in request) return answer(response, request);
    const secrets = await reach.secretsFor(request.target);
    if ("status" in secrets) return answer(response, secrets);
    const socket = await connectTo(reach, request.target);
    if ("status" in socket) return answer(response, socket);
    // What goes over plain HTTP anyone on the way reads: the operator says which networks are the operator's own.
    const { remoteAddress = "" } = socket;
    const mayHave = judgeAddress(reach.options.world, remoteAddress) === "allowed";
    await sendOn(request, { incoming, response, socket, secrets, mayHave });
  } catch (error) {
    reach.options.world.logger.error({ error }, "a request of a sandbox failed");
    response.destroy();
  } finally {
    end();
  }
}

function read(reach: Reach, incoming: IncomingMessage): ForwardedRequest | Answer {
  const { url = "", method = "GET", headers } = incoming;
  if (!/^http:\/\//i.test(url)) return notForProxies;
  const there = readAbsolute(url);
  if (there === undefined) {
    const host = url.slice("http://".length).split("/", 1)[0] ?? "";
    return refuse(reach, { host, port: 0, reason: "spelling" });
  }
  const upgrade = headers.upgrade?.trim().toLowerCase();
  // A proposal of HTTP/2 may be passed over, and some clients make it each time.
  if (upgrade !== undefined && upgrade !== "h2c") return noUpgrade;
  const sent = headersToSend(incoming);
  return sent === undefined
    ? noCoding
    : { ...there, scheme: "http", method, headers: sent, body: incoming };
}

const notForProxies = fault(
  400,
  "Not a request to a proxy",
  "Here is a proxy: ask for http://HOST/PATH, or open a tunnel with CONNECT HOST:PORT for everything else.",
);
const noUpgrade = fault(
  501,
  "No upgrade",
  "Over plain HTTP no other protocol is begun. Use a tunnel (CONNECT), as clients do for https and wss.",
);
