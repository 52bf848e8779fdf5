// What many operations share in the document: the error envelope, headers, credentials.
import type { FailureType } from "../../base/failure.ts";
import type { OpenApi, Response, Schema } from "./document.ts";

/** A record, not a list: a type that is missing here does not compile. */
const failureTypes: Record<FailureType, true> = {
  invalid_request_error: true,
  authentication_error: true,
  billing_error: true,
  permission_error: true,
  not_found_error: true,
  timeout_error: true,
  conflict_error: true,
  memory_precondition_failed_error: true,
  memory_path_conflict_error: true,
  rate_limit_error: true,
  api_error: true,
  overloaded_error: true,
};

export const errorSchema: Schema = {
  description: "What every error looks like.",
  type: "object",
  required: ["type", "error", "request_id"],
  properties: {
    type: { type: "string", const: "error" },
    error: {
      type: "object",
      required: ["type", "message"],
      properties: {
        type: {
          description: "The kind of error. New kinds may be added.",
          type: "string",
          examples: Object.keys(failureTypes),
        },
        message: { description: "A sentence for people. It may change.", type: "string" },
        details: {
          description: "For programs: `error_code`, a stable cause, and what belongs to it.",
          type: "object",
          properties: { error_code: { type: "string" } },
          additionalProperties: true,
        },
      },
    },
    request_id: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
};

export const requestIdHeader = { "request-id": { $ref: "#/components/headers/RequestId" } };

const failed = (description: string, headers: Response["headers"] = {}): Response => ({
  description,
  headers: { ...requestIdHeader, ...headers },
  content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorEnvelope" } } },
});

const retryAfter = { "retry-after": { $ref: "#/components/headers/RetryAfter" } };

/** The status that each shared response stands for. */
export const failureNames = {
  400: "InvalidRequest",
  401: "AuthenticationFailed",
  403: "PermissionDenied",
  404: "NotFound",
  408: "RequestTimeout",
  409: "Conflict",
  413: "RequestTooLarge",
  415: "UnsupportedMediaType",
  429: "RateLimited",
  500: "InternalError",
  503: "Unavailable",
  default: "Failure",
} as const;

export const failureResponses: Record<string, Response> = {
  InvalidRequest: failed("A field, a header or the body is not as it has to be."),
  AuthenticationFailed: failed("The credential is missing, unknown or no longer good."),
  PermissionDenied: failed("The credential does not hold the permission."),
  NotFound: failed("It does not exist, or it is not the caller's."),
  Conflict: failed("It does not go with how things stand; trying again changes nothing."),
  RequestTimeout: failed("The body stopped arriving."),
  RequestTooLarge: failed("The body is larger than this route takes."),
  UnsupportedMediaType: failed("The content type is not one that this route takes."),
  RateLimited: failed("Too many requests.", retryAfter),
  InternalError: failed("A bug of this server. It has been logged under the request id."),
  Unavailable: failed("A part of the server is away for a moment.", retryAfter),
  Failure: failed("Any other error."),
};

export const sharedHeaders: OpenApi["components"]["headers"] = {
  RequestId: {
    description: "Names this request; quote it when you ask about it.",
    schema: { type: "string" },
  },
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } },
};

export const sharedParameters: OpenApi["components"]["parameters"] = {
  Version: {
    name: "vendor-version",
    in: "header",
    description: "The version of the wire. `anthropic-version` is understood as well.",
    required: false,
    schema: { type: "string", enum: ["2026-10-21", "2023-06-01"], default: "2023-06-01" },
  },
};

export const securitySchemes: OpenApi["components"]["securitySchemes"] = {
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "A key or token." },
  bearer: { type: "http", scheme: "bearer", description: "A key or token." },
  console: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-plinth",
    description: "The cookie of somebody who signed in to the console.",
  },
};

export const description = [
  "Every request and reply is described here from the table that the server routes by.",
  "A method that a path does not have is answered with 405 and an `allow` header.",
].join(" ");
