// Proving again who sits at the browser: for acts that a stranger at an open browser must not do.
import { forbidden, invalid } from "../../../kernel/base/failure.ts";
import type { Context, World } from "../../../kernel/context.ts";
import { hashSecret } from "../../../kernel/secret/token.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { countedAttempt } from "./attempts.ts";
import { emailKey, recordUserEvent, userOrThrow } from "../people.ts";
import * as queries from "./queries-proof.ts";
import { limits } from "../limits.ts";

/** Rule IDN14. */
export async function expectProof({ db, clock, who }: Context): Promise<void> {
  const provedAt = await queries.findProvedAt(db, who.organizationId, who.credentialId);
  if (provedAt !== undefined && clock.now().getTime() - provedAt.getTime() <= limits.proofMs)
    return;
  throw forbidden(
    "This act asks who you are: confirm with your password or a passkey, or sign in again, then repeat it within ten minutes.",
    { code: "proof_needed" },
  );
}

export const noteProof = (tx: Tx, { clock, who }: Context): Promise<void> =>
  queries.setProvedAt(tx, who.organizationId, who.credentialId, clock.now());

export async function proveByPassword(context: Context, password: string): Promise<void> {
  const { who } = context;
  const user = await userOrThrow(context.db, who.organizationId, who.userId ?? "");
  const known = await countedAttempt(context, emailKey(user.email), async () => {
    const { ok } = await context.passwords.verify(user.password_hash ?? undefined, password);
    return ok ? user : undefined;
  });
  if (known === undefined) {
    await context.db.tx((tx) => recordUserEvent(tx, context, user, "user.proof_refused"));
    throw invalid("current_password: is not the present password.");
  }
  await context.db.tx(async (tx) => {
    await noteProof(tx, context);
    await recordUserEvent(tx, context, user, "user.proved", { method: "password" });
  });
}

/** In the transaction of the act that the token allows. */
export async function spendOnce(tx: Tx, token: string, expiresAt: Date): Promise<void> {
  if (await queries.spendToken(tx, hashSecret(token), expiresAt)) return;
  throw invalid("This attempt was used already. Begin again.");
}

interface Ticket {
  expires: number;
}

/** A signed ticket that lets its holder continue for a while: its content, or undefined. */
export function readTicket(
  { secrets, clock }: Pick<World, "secrets" | "clock">,
  text: string,
  purpose: string,
): Ticket | undefined {
  const ticket = secrets.verify(text, purpose) as Ticket | undefined;
  return ticket !== undefined && ticket.expires > clock.now().getTime() ? ticket : undefined;
}
