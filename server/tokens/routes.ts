// The route of tokens.
import { openRoute, type Route } from "../../kernel/http/route.ts";
import { answerTokenRequest, type GrantHandlers } from "./grants.ts";
import { limits } from "./limits.ts";
import { tokenRefusal } from "./refusal.ts";
import * as schema from "./schema.ts";

export const tokenRoutes = (grants: GrantHandlers): Route[] => [
  openRoute({
    operation: "oauth.token",
    method: "POST",
    path: "/v1/oauth/token",
    summary: "Gives an access token for a refresh token, or for a token of a trusted issuer.",
    body: schema.TokenRequest,
    bodyBytesMax: limits.requestBytesMax,
    formToo: true,
    refusal: tokenRefusal,
    errors: [401],
    reply: schema.TokenReply,
    handle: (context, { body }) => answerTokenRequest(grants, context, body),
  }),
];
