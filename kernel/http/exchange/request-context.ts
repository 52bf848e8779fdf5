// The context of one request: the world, plus the caller, the dialect, and the signal that ends it.
import type { RequestNotes } from "../../base/request-notes.ts";
import type { HttpRequest, HttpResponse } from "../wire/http-exchange.ts";
import type { Context, Dialect, Principal, World } from "../../context.ts";

export interface RequestFacts {
  requestId: string;
  notes: RequestNotes;
  dialect: Dialect;
  betas: ReadonlySet<string>;
  address: string;
}

/** A class for speed alone: one hidden shape for every request, and a signal made only when asked for. */
class HandlerContext implements Context {
  readonly clock;
  readonly random;
  readonly ids;
  readonly logger;
  readonly db;
  readonly hints;
  readonly blobs;
  readonly dataDirectory;
  readonly segmentOptions;
  readonly busOptions;
  readonly secrets;
  readonly passwords;
  readonly lookUpTxt;
  readonly outside;
  readonly metrics;
  readonly instruments;
  readonly peers;
  readonly server;
  readonly publicUrl;
  readonly sections: Readonly<Record<string, unknown>>;
  readonly requestId;
  readonly notes;
  readonly dialect;
  readonly betas;
  readonly address;
  who: Principal;
  readonly #request: HttpRequest;
  readonly #response: HttpResponse;
  #controller: AbortController | undefined;

  constructor(
    world: World,
    facts: RequestFacts,
    who: Principal | null,
    request: HttpRequest,
    response: HttpResponse,
  ) {
    this.clock = world.clock;
    this.random = world.random;
    this.ids = world.ids;
    this.logger = world.logger;
    this.db = world.db;
    this.hints = world.hints;
    this.blobs = world.blobs;
    this.dataDirectory = world.dataDirectory;
    this.segmentOptions = world.segmentOptions;
    this.busOptions = world.busOptions;
    this.secrets = world.secrets;
    this.passwords = world.passwords;
    this.lookUpTxt = world.lookUpTxt;
    this.outside = world.outside;
    this.metrics = world.metrics;
    this.instruments = world.instruments;
    this.peers = world.peers;
    this.server = world.server;
    this.publicUrl = world.publicUrl;
    this.sections = world.sections ?? {};
    this.requestId = facts.requestId;
    this.notes = facts.notes;
    this.dialect = facts.dialect;
    this.betas = facts.betas;
    this.address = facts.address;
    // Open routes are typed without `who`, so no handler reads the null.
    this.who = who as Principal;
    this.#request = request;
    this.#response = response;
  }

  get userAgent(): string {
    return this.#request.headers["user-agent"] ?? "";
  }

  get headers() {
    return this.#request.headers;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const gone = () => {
        // A stream that the server cuts is ended in good order, and its work must end as well.
        if (!this.#response.writableFinished || this.server.isDrainOver) controller.abort();
      };
      if (this.#response.closed) gone();
      else this.#response.once("close", gone);
    }
    return this.#controller.signal;
  }
}

export const makeRequestContext = (
  world: World,
  facts: RequestFacts,
  who: Principal | null,
  request: HttpRequest,
  response: HttpResponse,
): Context => new HandlerContext(world, facts, who, request, response);
