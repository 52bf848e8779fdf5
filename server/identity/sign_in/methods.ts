// The ways to sign in: who may do so without the identity provider, and what follows the password.
import { forbidden, unauthenticated, type Failure } from "../../../kernel/base/failure.ts";
import type { RequestContext } from "../../../kernel/context.ts";
import type { Reply } from "../../../kernel/http/output/reply.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { readTicket } from "./proof.ts";
import { noteBreakGlass } from "./queries-proof.ts";
import { recordUserEvent, startSignIn } from "../people.ts";
import type { UserRow } from "../queries.ts";
import { limits } from "../limits.ts";
import type { Method } from "../schema.ts";

/** Rule IDN15: people who keep password and passkeys where single sign-on is required. */
export const keepsLocalSignIn = ({ role, break_glass }: Pick<UserRow, "role" | "break_glass">) =>
  role === "primary_owner" || (role === "owner" && break_glass);

/** Called only once password or passkey were right: strangers do not learn how an organization signs in. */
export async function expectLocalSignIn(context: RequestContext, user: UserRow): Promise<void> {
  if (!user.single_sign_on_required || keepsLocalSignIn(user)) return;
  const details = { reason: "single_sign_on_required" };
  await context.db.tx((tx) => recordUserEvent(tx, context, user, "user.sign_in_refused", details));
  expectLocalSignInUnrecorded(user);
}

/** The same without the audit entry, for callers that write one themselves, such as the set-up. */
export function expectLocalSignInUnrecorded(user: UserRow): void {
  if (!user.single_sign_on_required || keepsLocalSignIn(user)) return;
  throw forbidden(
    `${user.organization_name} signs in by single sign-on only: use the button "Single sign-on" with your e-mail.`,
    {
      code: "single_sign_on_required",
      details: { organization_id: user.organization_id },
    },
  );
}

/** The last step of every sign-in but that by a set-up link: one event, one sign-in. */
export async function completeSignIn(
  tx: Tx,
  context: RequestContext,
  user: UserRow,
  method: Method,
  details: Record<string, unknown> = {},
): Promise<Reply> {
  const isLocal = method !== "single_sign_on";
  const action =
    isLocal && user.single_sign_on_required ? "user.break_glass_signed_in" : "user.signed_in";
  await recordUserEvent(tx, context, user, action, { method, ...details });
  if (action === "user.break_glass_signed_in")
    await noteBreakGlass(tx, user.organization_id, user.id, context.clock.now());
  return startSignIn(tx, context, user, method);
}

const secondStep = "second step of a sign-in";

interface SecondStep {
  organizationId: string;
  userId: string;
  expires: number;
}

/** Rule PKY7: the password was right, and a passkey has to follow. */
export function secondStepRequired({ secrets, clock }: RequestContext, user: UserRow): Failure {
  const ticket: SecondStep = {
    organizationId: user.organization_id,
    userId: user.id,
    expires: clock.now().getTime() + limits.secondStepMs,
  };
  return unauthenticated("The password is right. Now use your passkey.", {
    code: "passkey_needed",
    details: { ticket: secrets.sign(ticket, secondStep) },
  });
}

/** The person and organization that the ticket was made for. */
export function readSecondStep(context: RequestContext, ticket: string): SecondStep {
  const read = readTicket(context, ticket, secondStep) as SecondStep | undefined;
  if (read !== undefined) return read;
  throw unauthenticated("The password was given too long ago. Begin again.");
}
