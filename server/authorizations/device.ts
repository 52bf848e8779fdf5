// The device flow: a device without a browser shows a code, the person types it elsewhere, and the device polls.
import type { RequestContext } from "../../kernel/context.ts";
import { json, type Reply } from "../../kernel/http/output/reply.ts";
import { hashSecret, newSecret } from "../../kernel/secret/token.ts";
import {
  GrantRefusal,
  openFamily,
  requiredParameter,
  type IssuedTokens,
  type OAuthError,
  type TokenRequest,
} from "../tokens/module.ts";
import { ownClient, unknownClient } from "./clients/known-clients.ts";
import { requestedScopes } from "./request-checks.ts";
import * as queries from "./queries.ts";
import { limits } from "./limits.ts";
import type { DeviceAuthorizationRequest } from "./schema.ts";

/** No vowels, so that no code is a word; no characters that look alike. */
const consonants = "BCDFGHJKLMNPQRSTVWXZ";
const codeCharacters = 8;

/** Rule AUT1. */
export async function startDeviceAuthorization(
  context: RequestContext,
  input: DeviceAuthorizationRequest,
): Promise<Reply> {
  const { db, clock, random, ids, publicUrl } = context;
  if (ownClient(input.client_id) === undefined) throw unknownClient(input.client_id);
  const scopes = requestedScopes(input.scope);
  const at = clock.now();
  const device = newSecret("sk-plinth-dev-", random);
  const userCode = await db.tx(async (tx) => {
    for (;;) {
      const code = newUserCode((bytes) => random.bytes(bytes));
      const isFree = await queries.insertDevice(tx, {
        id: ids.next("authz_"),
        clientId: input.client_id,
        scopes,
        workspaceId: input.workspace_id ?? null,
        userCode: code,
        deviceSha256: hashSecret(device),
        intervalSeconds: limits.pollSeconds,
        address: context.address,
        userAgent: context.userAgent.slice(0, 300),
        at,
        expiresAt: new Date(at.getTime() + limits.deviceLifeMs),
      });
      if (isFree) return code;
    }
  });
  const shown = `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
  const answer = {
    device_code: device,
    user_code: shown,
    verification_uri: `${publicUrl}/device`,
    // In the fragment, which browsers do not send: no log of a proxy holds it.
    verification_uri_complete: `${publicUrl}/device#user_code=${shown}`,
    expires_in: limits.deviceLifeMs / 1000,
    interval: limits.pollSeconds,
  };
  return json(answer, { "cache-control": "no-store" });
}

/** Every character is equally likely: bytes beyond the last whole multiple are thrown away. */
function newUserCode(bytesOf: (bytes: number) => Buffer): string {
  const most = 256 - (256 % consonants.length);
  let code = "";
  while (code.length < codeCharacters)
    for (const byte of bytesOf(codeCharacters))
      if (byte < most && code.length < codeCharacters)
        code += consonants[byte % consonants.length] ?? "";
  return code;
}

/** As people type it: small letters, with or without the dash. */
export const cleanUserCode = (text: string) => text.toUpperCase().replace(/[^A-Z]/g, "");

type Answer = { granted: IssuedTokens } | { refused: [code: OAuthError, sentence: string] };

/** Rules AUT2 and AUT3. A refusal is thrown after the commit: what a poll changes must stay. */
export async function pollDevice(
  context: RequestContext,
  request: TokenRequest,
): Promise<IssuedTokens> {
  const { db, clock } = context;
  const deviceCode = requiredParameter(request, "device_code");
  const clientId = requiredParameter(request, "client_id");
  const answer = await db.tx(async (tx): Promise<Answer> => {
    const row = await queries.lockDevice(tx, hashSecret(deviceCode));
    if (row === undefined || row.client_id !== clientId || row.used_at !== null)
      return no("invalid_grant", "device_code: is unknown, used or another client's.");
    const now = clock.now();
    if (row.decision === "denied") return no("access_denied", "The person refused.");
    if (row.expires_at <= now)
      return no("expired_token", "device_code: has expired; ask for another one.");
    if (row.decision === null) return wait(tx, row, now);
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
  throw new GrantRefusal(...answer.refused);
}

const no = (code: OAuthError, sentence: string): Answer => ({ refused: [code, sentence] });

async function wait(
  tx: Parameters<typeof queries.notePoll>[0],
  row: queries.AuthorizationRow,
  now: Date,
): Promise<Answer> {
  const seconds = row.interval_seconds ?? limits.pollSeconds;
  const sinceMs = now.getTime() - (row.polled_at ?? row.created_at).getTime();
  const isEarly = row.polled_at !== null && sinceMs < seconds * 1000;
  const next = isEarly ? seconds + limits.slowerSeconds : seconds;
  await queries.notePoll(tx, row.id, now, next);
  return isEarly
    ? no("slow_down", `Ask again in ${next} seconds.`)
    : no("authorization_pending", "Nobody has decided yet.");
}
