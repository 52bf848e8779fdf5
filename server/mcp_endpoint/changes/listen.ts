// `subscriptions/listen`: one stream on which a client is told what has changed. What is said on it is the packages'.
import {
  createMcpHandler,
  ProtocolErrorCode,
  type JSONRPCRequest,
  type ServerEvent,
} from "@modelcontextprotocol/server";
import { isFailure } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Api } from "../caller.ts";
import { limits } from "../limits.ts";
import { holderOf, infoOf, type MakeServer } from "../sessions/sessions.ts";
import { paced, type Paced } from "./paced.ts";
import { takePlace } from "./places.ts";
import { allowedOf, expectFewUris, type Filter } from "./wanted.ts";
import { openWatch, type Caller, type Notice } from "./watch.ts";

export interface Listening {
  context: Context;
  api: Api;
  caller: Caller;
  makeServer: MakeServer;
  request: Request;
  message: JSONRPCRequest;
}

/** Rules MCE34 to MCE36. */
export async function listenForChanges(listening: Listening): Promise<Response> {
  const { message } = listening;
  try {
    return await openStream(listening, filterOf(message));
  } catch (error) {
    if (!isFailure(error)) throw error;
    const code =
      error.status === 400 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    return Response.json({
      jsonrpc: "2.0",
      id: message.id,
      error: { code, message: error.message, data: { type: error.type } },
    });
  }
}

async function openStream(listening: Listening, filter: Filter | undefined): Promise<Response> {
  const { context, api, caller } = listening;
  // What is no filter is answered by the packages.
  if (filter === undefined) return handlerOf(listening).fetch(...askedOf(listening));
  const place = takePlace(context, holderOf(context).holderId);
  let stop = () => place.leave();
  try {
    const wanted = await allowedOf(api, filter);
    place.add(wanted.uris.length);
    let [told, stream]: [number, Paced | undefined] = [1, undefined];
    let tell: (event: ServerEvent) => void = () => {};
    const watch = await openWatch(context, wanted, {
      caller,
      taken: () => stream?.taken() ?? Promise.resolve(),
      tell: (notice) => {
        told += 1;
        tell(eventOf(notice));
      },
      ended: () => void handler.close(),
    });
    stop = () => {
      watch.stop();
      place.leave();
    };
    let isHeard = false;
    const handler = handlerOf(listening, (listener) => {
      isHeard = true;
      tell = listener;
      watch.start();
      return stop;
    });
    const allowed: Filter = {
      ...filter,
      resourcesListChanged: wanted.resources.length > 0,
      promptsListChanged: wanted.prompts,
      resourceSubscriptions: wanted.uris.map(({ uri }) => uri),
    };
    const response = await handler.fetch(...askedOf(listening, allowed));
    if (!isHeard) stop();
    stream = paced(response, () => told);
    return stream.response;
  } catch (error) {
    stop();
    throw error;
  }
}

const eventOf = (notice: Notice): ServerEvent =>
  "uri" in notice
    ? { kind: "resource_updated", uri: notice.uri }
    : { kind: `${notice.list}_list_changed` };

type Listen = (listener: (event: ServerEvent) => void) => () => void;

/** One for each stream: who listens there is told of one workspace. */
const handlerOf = ({ makeServer }: Listening, subscribe: Listen = () => () => {}) =>
  createMcpHandler(makeServer, {
    legacy: "reject",
    bus: { publish: () => {}, subscribe },
    keepAliveMs: limits.streamAliveMs,
  });

function askedOf({ request, message, context }: Listening, notifications?: Filter) {
  const params = { ...message.params, ...(notifications && { notifications }) };
  const options = { parsedBody: { ...message, params }, authInfo: infoOf(context) };
  return [request, options] as const;
}

/** Undefined for what is no filter. */
function filterOf({ params }: JSONRPCRequest): Filter | undefined {
  const filter = params?.["notifications"] as Filter | null | undefined;
  if (typeof filter !== "object" || filter === null) return undefined;
  const uris: unknown = filter.resourceSubscriptions ?? [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === "string")) return undefined;
  expectFewUris(uris, "notifications.resourceSubscriptions");
  return filter;
}
