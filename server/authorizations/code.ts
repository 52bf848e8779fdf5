// The code flow: the program opened a browser, which goes back to it with a code that works once.
import { createHash } from "node:crypto";
import { forbidden, invalid } from "../../kernel/base/failure.ts";
import type { Context, RequestContext } from "../../kernel/context.ts";
import { hashSecret, isSameSecret, newSecret } from "../../kernel/secret/token.ts";
import * as audit from "../audit/module.ts";
import {
  endFamilyById,
  GrantRefusal,
  openFamily,
  requiredParameter,
  type IssuedTokens,
  type TokenRequest,
} from "../tokens/module.ts";
import { describePrompt, resolveGrant } from "./decision.ts";
import * as queries from "./queries.ts";
import { limits } from "./limits.ts";
import type { CodeAuthorizationRequest, AuthorizationPrompt } from "./schema.ts";

/** Rule AUT4: what the page shows before the person has decided. */
export async function readCode(
  context: Context,
  input: CodeAuthorizationRequest,
): Promise<AuthorizationPrompt> {
  expectAsk(input);
  return describePrompt(context, {
    client_id: input.client_id,
    scope: input.scope,
    workspace_id: input.workspace_id ?? null,
    address: context.address,
    user_agent: context.userAgent,
    created_at: context.clock.now(),
  });
}

export async function approveCode(context: Context, input: CodeAuthorizationRequest) {
  expectAsk(input);
  const { db, clock, random, ids, who } = context;
  const { organizationId } = who;
  const prompt = { scope: input.scope, workspace_id: input.workspace_id ?? null };
  const { scopes, workspaceId } = await resolveGrant(context, {
    ...prompt,
    client_id: input.client_id,
  });
  const code = newSecret("sk-plinth-cod-", random);
  const at = clock.now();
  const id = ids.next("authz_");
  await db.tx(async (tx) => {
    await queries.insertCode(tx, organizationId, {
      id,
      clientId: input.client_id,
      scopes,
      workspaceId,
      codeSha256: hashSecret(code),
      codeChallenge: input.code_challenge,
      redirectUri: input.redirect_uri,
      address: context.address,
      userAgent: context.userAgent.slice(0, 300),
      at,
      expiresAt: new Date(at.getTime() + limits.codeLifeMs),
      openedBy: who.credentialId,
      userId: who.userId ?? "",
    });
    await audit.recordByCaller(tx, context, {
      action: "authorization.granted",
      target: { type: "authorization", id },
      details: { client: input.client_id, scopes, workspace_id: workspaceId },
    });
  });
  return { redirect_to: back(input, { code }) };
}

export async function denyCode(context: Context, input: CodeAuthorizationRequest) {
  expectAsk(input);
  const { db, ids } = context;
  await db.tx((tx) =>
    audit.recordByCaller(tx, context, {
      action: "authorization.denied",
      target: { type: "authorization", id: ids.next("authz_") },
      details: { client: input.client_id },
    }),
  );
  return { redirect_to: back(input, { error: "access_denied" }) };
}

function back(
  { redirect_uri, state }: CodeAuthorizationRequest,
  answer: Record<string, string>,
): string {
  const url = new URL(redirect_uri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set("state", state);
  return url.href;
}

/** Rule AUT6. Errors are shown on the page: the browser must not be sent to an unknown address. */
function expectAsk(input: CodeAuthorizationRequest): void {
  if (!isLoopback(input.redirect_uri))
    throw forbidden(
      "redirect_uri: must be http://127.0.0.1, http://[::1] or http://localhost with any port and the path /callback.",
    );
  if (input.response_type !== "code") throw invalid("response_type: must be code.");
  if (input.code_challenge_method !== "S256") throw invalid("code_challenge_method: must be S256.");
  if (!/^[\w-]{43}$/.test(input.code_challenge))
    throw invalid("code_challenge: must be a SHA-256 in base64url, 43 characters.");
}

const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost):\d{1,5}\/callback$/;
const isLoopback = (uri: string) => loopback.test(uri) && URL.canParse(uri);

type Answer = { granted: IssuedTokens } | { refused: string };

/** The refusal is thrown after the commit: a code that comes twice ends what it had granted. */
export async function redeemCode(
  context: RequestContext,
  request: TokenRequest,
): Promise<IssuedTokens> {
  const { db, clock } = context;
  const code = requiredParameter(request, "code");
  const verifier = requiredParameter(request, "code_verifier");
  const clientId = requiredParameter(request, "client_id");
  const redirectUri = requiredParameter(request, "redirect_uri");
  const answer = await db.tx(async (tx): Promise<Answer> => {
    const row = await queries.lockCode(tx, hashSecret(code));
    if (row === undefined) return { refused: "code: is unknown." };
    if (row.used_at !== null) {
      const why = "a code came a second time";
      await endFamilyById(tx, context, row.organization_id ?? "", row.family_id ?? "", why);
      return { refused: "code: was used before; what it granted has ended." };
    }
    const now = clock.now();
    if (row.expires_at <= now) return { refused: "code: has expired." };
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const fits =
      row.client_id === clientId &&
      row.redirect_uri === redirectUri &&
      isSameSecret(challenge, row.code_challenge ?? "");
    if (!fits)
      return { refused: "code_verifier, client_id or redirect_uri is not that of the request." };
    const { familyId, ...granted } = await openFamily(tx, context, {
      organizationId: row.organization_id ?? "",
      userId: row.user_id ?? "",
      clientId: row.client_id,
      scopes: row.scopes,
      workspaceId: row.workspace_id,
    });
    await queries.noteUsed(tx, row.id, now, familyId);
    return { granted };
  });
  if ("granted" in answer) return answer.granted;
  throw new GrantRefusal("invalid_grant", answer.refused);
}
