// What is encrypted of a credential, sealed and opened.
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import type { World } from "../../../kernel/context.ts";
import type { Secret } from "./auth.ts";
import type { CredentialRow } from "./queries.ts";

/** What the encryption is bound to. */
export const secretContext = (id: string) => `vault credential ${id}`;

export const sealSecret = (
  { secrets }: Pick<World, "secrets">,
  id: string,
  secret: Secret,
): string => secrets.encrypt(JSON.stringify(secret), secretContext(id));

/** Undefined where it is archived. */
export const openSecret = (
  { secrets }: Pick<World, "secrets">,
  { id, secret }: Pick<CredentialRow, "id" | "secret">,
): Secret | undefined =>
  secret === null
    ? undefined
    : (parseExactly(secrets.decrypt(secret, secretContext(id)).toString()) as Secret);
