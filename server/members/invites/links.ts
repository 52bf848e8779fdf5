// Links of invites: a secret in the fragment, stored only as its hash.
import type { World } from "../../../kernel/context.ts";
import { hashSecret, newSecret } from "../../../kernel/secret/token.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as queries from "./queries.ts";

export interface InviteLink {
  link: string;
  sha256: Buffer;
}

/** Rule USR22: the link before this one is dead from now on. */
export async function makeInviteLink(
  tx: Tx,
  { publicUrl, random }: World,
  organizationId: string,
  inviteId: string,
): Promise<InviteLink> {
  const secret = newSecret("sk-plinth-inv-", random);
  const sha256 = hashSecret(secret);
  await queries.setSecret(tx, organizationId, inviteId, sha256);
  return { link: `${publicUrl}/accept#token=${secret}`, sha256 };
}
