// Rule IDN5: a password is counted as wrong before it is checked, so that many tries at once count as many.
import { rateLimited } from "../../../kernel/base/failure.ts";
import type { RequestContext } from "../../../kernel/context.ts";
import * as signIns from "./queries.ts";
import { limits } from "../limits.ts";

/** What `look` finds with the password; undefined means a wrong one, which stays counted. */
export async function countedAttempt<T>(
  context: RequestContext,
  emailKey: string,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const { db, clock, address } = context;
  const failure = { emailKey, address, at: clock.now() };
  const forget = () => db.tx((tx) => signIns.deleteFailure(tx, failure));
  const before = new Date(failure.at.getTime() - limits.wrongPasswordsWindowMs);
  await db.tx(async (tx) => {
    await signIns.deleteFailures(tx, before);
    await signIns.insertFailure(tx, failure);
  });
  // The password has not been judged: an error from here on does not count as a wrong one.
  let innocent = true;
  try {
    await expectFewFailures(context, emailKey, failure.at);
    const found = await look();
    innocent = found !== undefined;
    return found;
  } finally {
    if (innocent) await forget();
  }
}

/** The present try is among those counted. */
async function expectFewFailures(
  { db, address }: RequestContext,
  emailKey: string,
  now: Date,
): Promise<void> {
  const { wrongPasswordsWindowMs: windowMs } = limits;
  const since = new Date(now.getTime() - windowMs);
  const { email, address: here } = await signIns.countFailures(db, emailKey, address, since);
  const reached = [
    ...(email.count > limits.wrongPasswordsMax ? [email.oldest] : []),
    ...(here.count > limits.wrongPasswordsPerAddressMax ? [here.oldest] : []),
  ];
  if (reached.length === 0) return;
  const freeAtMs = Math.max(...reached.map((oldest) => (oldest ?? now).getTime() + windowMs));
  throw rateLimited(
    "Too many wrong passwords. Wait some minutes, then try again.",
    Math.max(1, (freeAtMs - now.getTime()) / 1000),
  );
}
