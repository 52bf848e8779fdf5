// A route is a value: everything the router, the documents, the client and the tests need to know of it.
import assert from "node:assert/strict";
import Type, { type Static, type TObject, type TSchema } from "typebox";
import type {
  Context,
  CredentialKind,
  Dialect,
  OrganizationType,
  RequestContext,
  World,
} from "../context.ts";
import type { Failure } from "../base/failure.ts";
import { limits } from "../base/limits.ts";
import type { OriginalBody } from "./input/body.ts";
import type { Headers, Reply } from "./output/reply.ts";
import type { LeanPaths } from "./wire/lean/request-head.ts";
import type { Form, Multipart } from "./input/multipart.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What stands in a body: JSON of a schema, a form with files, the bytes as they come, or nothing. */
export type BodyKind = TSchema | Multipart | OriginalJson | StreamedJson | "stream" | undefined;

/** JSON that the handler checks itself, beside the bytes that it came in: for what forwards them. */
export interface OriginalJson {
  /** For the documents. */
  originalJson: TSchema;
  /** `stream: true` in it turns the reply into events. */
  streams: boolean;
}

export const originalJson = (schema: TSchema, { streams = false } = {}): OriginalJson => ({
  originalJson: schema,
  streams,
});

/** JSON that is too large to be held: the handler reads it as it comes. */
export interface StreamedJson {
  /** For the documents. */
  streamedJson: TSchema;
}

export const streamedJson = (schema: TSchema): StreamedJson => ({ streamedJson: schema });

/** What comes back: JSON of a schema, or one of the kinds that only a Reply value can carry. */
export type ReplyKind = TSchema | JsonLines | "events" | "bytes" | "page" | "text" | "none";

/** A file with a JSON value of this schema on each line, which can be fetched in parts. */
export interface JsonLines {
  jsonLines: TSchema;
}

export const jsonLines = (schema: TSchema): JsonLines => ({ jsonLines: schema });

export type OwnStatus = 401 | 404 | 409 | 503;

export interface BetaRule {
  name: string;
  /** Without it `always`: 400; `hidden`: 404; `2023-06-01`: 404 in that dialect, and no beta needed in the other. */
  gate: "always" | "hidden" | Dialect;
  /** Another beta that opens the route as well. */
  or?: string;
  /** Betas with this prefix are refused beside it. */
  excludes?: string;
}

/** A refusal in the words of another standard than the envelope of this API. */
export type RefusalShape = (failure: Failure) => { value: unknown; headers: Headers };

interface RouteFacts<P, Q, B, R> {
  /** `noun.verb`: the name in the client, the documents, the metrics and the audit log. */
  operation: string;
  method: Method;
  /** `/v1/memory_stores/{memory_store_id}` */
  path: string;
  /** One sentence for the reference. */
  summary: string;
  /** Credentials that may try; any kind that holds the permission when not named. */
  credentials?: readonly CredentialKind[];
  /** Credentials that may as well, without the permission: the noun shows them what is theirs alone. */
  alsoCredentials?: readonly CredentialKind[];
  /** A request without any credential comes to the handler too, and `who` is null in it. */
  mayBeAnonymous?: true;
  /** Organization types that have this route; all when not named. Others get 404. */
  organizations?: readonly OrganizationType[];
  /** Types that have it where the operator says so. */
  alsoFor?(world: World): readonly OrganizationType[];
  beta?: BetaRule;
  params?: P;
  query?: Q;
  body?: B;
  bodyBytesMax?: number;
  /** The body may come as an HTML form as well: each name once, and every value a text. */
  formToo?: true;
  /** Asked for so often that its canonical requests go without node:http. For a POST of JSON on a fixed path. */
  lean?: true;
  refusal?: RefusalShape;
  /** Statuses of its own refusals, beside those that follow from the rest. */
  errors?: readonly OwnStatus[];
  reply: R;
}

export interface Input<P, Q, B> {
  params: P extends TSchema ? Static<P> : Record<string, string>;
  query: Q extends TSchema ? Static<Q> : Record<string, never>;
  body: BodyOf<B>;
}

// Schemas come last: TSchema is so open that text and forms are schemas too.
type BodyOf<B> = B extends "stream" | StreamedJson
  ? AsyncIterable<Buffer>
  : B extends OriginalJson
    ? OriginalBody
    : B extends Multipart
      ? Form
      : B extends TSchema
        ? Static<B>
        : undefined;

type Result<R> = R extends string | JsonLines
  ? Reply
  : R extends TSchema
    ? Static<R> | Reply
    : Reply;

type Handle<C, P, Q, B, R> = (context: C, input: Input<P, Q, B>) => Promise<Result<R>> | Result<R>;

export interface Route {
  operation: string;
  method: Method;
  path: string;
  summary: string;
  /** Null: open to all callers. */
  permission: string | null;
  credentials?: readonly CredentialKind[];
  alsoCredentials?: readonly CredentialKind[];
  mayBeAnonymous?: true;
  organizations?: readonly OrganizationType[];
  alsoFor?(world: World): readonly OrganizationType[];
  beta?: BetaRule;
  params?: TObject;
  query?: TObject;
  body?: BodyKind;
  bodyBytesMax?: number;
  formToo?: true;
  lean?: true;
  refusal?: RefusalShape;
  errors?: readonly OwnStatus[];
  reply: ReplyKind;
  handle(context: RequestContext, input: Input<undefined, undefined, BodyKind>): unknown;
}

/** A route for callers who are known and hold a permission. */
export function route<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends BodyKind = undefined,
  R extends ReplyKind = ReplyKind,
>(
  definition: RouteFacts<P, Q, B, R> & { permission: string; handle: Handle<Context, P, Q, B, R> },
): Route {
  // The table holds routes of every shape; the dispatcher hands each handler what its own schemas let through.
  return definition as unknown as Route;
}

/** A route open to all callers: sign-in, health, documents. */
export function openRoute<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends BodyKind = undefined,
  R extends ReplyKind = ReplyKind,
>(definition: RouteFacts<P, Q, B, R> & { handle: Handle<RequestContext, P, Q, B, R> }): Route {
  return { ...definition, permission: null } as unknown as Route;
}

/**
 * The same act for the console of organizations whose API does not have it: the cookie alone, no beta header, every
 * organization type, and no count towards the limit of administration.
 */
export function forConsole(route: Route): Route {
  const twin = { ...route };
  delete twin.organizations;
  delete twin.alsoFor;
  delete twin.beta;
  return {
    ...twin,
    operation: `console.${twin.operation}`,
    path: twin.path.replace(/^\/v1\/organizations\//, "/console/api/"),
    credentials: ["console"],
  };
}

/** An object with exactly these fields: the schema of every input. */
export function closed<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

/** The paths of the lean routes, each with its longest body. */
export function leanPathsOf(routes: readonly Route[]): LeanPaths {
  const lean = routes.filter((route) => route.lean);
  for (const { operation, method, path, body, reply } of lean) {
    const isJson = isSchema(body) || (typeof body === "object" && "originalJson" in body);
    // A stream of bytes is written by node's own pipeline, which a lean response is not made for.
    const fits = method === "POST" && pathParams(path).length === 0 && isJson && isSchema(reply);
    assert(fits, `${operation} is no POST of JSON for JSON or events on a fixed path`);
  }
  return new Map(lean.map(({ path, bodyBytesMax = limits.bodyBytesMax }) => [path, bodyBytesMax]));
}

/** The names in braces of a path, in order. */
export function pathParams(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}

export function isSchema(kind: BodyKind | ReplyKind): kind is TSchema {
  return (
    typeof kind === "object" &&
    !("multipart" in kind) &&
    !("originalJson" in kind) &&
    !("streamedJson" in kind) &&
    !("jsonLines" in kind)
  );
}
