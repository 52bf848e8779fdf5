// One request on its way through the dispatcher: what is known of it, and what is told of it at its begin and its end.
import type { Failure } from "../../base/failure.ts";
import type { RequestNotes } from "../../base/request-notes.ts";
import type { Principal, World } from "../../context.ts";
import { clientGone } from "../input/body.ts";
import type { RefusalShape } from "../route.ts";
import type { HttpRequest, HttpResponse } from "../wire/http-exchange.ts";
import { originForm } from "../wire/request-target.ts";

/** What is told of each request before it is looked at. */
export interface BegunRequest {
  requestId: string;
  notes: RequestNotes;
  request: HttpRequest;
}

/** What is reported of each request once it has been answered. */
export interface AnsweredRequest {
  requestId: string;
  notes: RequestNotes;
  operation: string;
  method: string;
  path: string;
  status: number;
  seconds: number;
  who: Principal | undefined;
  address: string;
  failure: Failure | undefined;
}

export interface Exchange {
  request: HttpRequest;
  response: HttpResponse;
  requestId: string;
  notes: RequestNotes;
  path: string;
  search: string;
  operation: string;
  address: string;
  who: Principal | undefined;
  failure: Failure | undefined;
  refusal: RefusalShape | undefined;
}

export function openExchange(request: HttpRequest, response: HttpResponse, world: World): Exchange {
  const url = originForm(request);
  const mark = url.indexOf("?");
  return {
    request,
    response,
    requestId: world.ids.next("req_"),
    notes: {},
    path: mark === -1 ? url : url.slice(0, mark),
    search: mark === -1 ? "" : url.slice(mark + 1),
    operation: "none",
    address: request.socket.remoteAddress ?? "",
    who: undefined,
    failure: undefined,
    refusal: undefined,
  };
}

export function summary(exchange: Exchange, startedMs: number, world: World): AnsweredRequest {
  const { request, response, requestId, notes, operation, path, who } = exchange;
  const gone = !response.writableFinished && exchange.failure === undefined;
  return {
    requestId,
    notes,
    operation,
    method: request.method ?? "",
    path,
    status: gone ? 499 : response.statusCode,
    seconds: (world.clock.monotonicMs() - startedMs) / 1000,
    who,
    address: exchange.address,
    failure: exchange.failure ?? (gone ? clientGone() : undefined),
  };
}
