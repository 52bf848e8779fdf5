// Rule IDN4: finds the person whose password it is, with the same work for every e-mail.
import type { Passwords } from "../../../kernel/secret/passwords.ts";

/**
 * Always `runs` times argon2, for an unknown e-mail as for one in several organizations: neither the time nor
 * the load shows how many there are. Undefined when the password is wrong everywhere.
 */
export async function usersWithPassword<User extends { password_hash: string | null }>(
  candidates: readonly User[],
  password: string,
  runs: number,
  verify: Passwords["verify"],
): Promise<(User & { outdated: boolean })[] | undefined> {
  const fitting: (User & { outdated: boolean })[] = [];
  for (let run = 0; run < runs; run++) {
    const user = candidates[run];
    const { ok, outdated } = await verify(user?.password_hash ?? undefined, password);
    if (ok && user !== undefined) fitting.push({ ...user, outdated });
  }
  return fitting.length > 0 ? fitting : undefined;
}
