// The author of a write, taken from its request and shown as an actor.
import type { Context } from "../../kernel/context.ts";
import type { Author } from "./memories/apply.ts";
import type { Actor } from "./schema.ts";

export function authorOf({ who }: Context): Author {
  if (who.kind === "session_token") return { type: "session", id: who.credentialId };
  if (who.serviceAccountId !== undefined)
    return { type: "service_account", id: who.serviceAccountId };
  if (who.userId !== null && who.kind !== "api_key") return { type: "user", id: who.userId };
  return { type: "api", id: who.credentialId };
}

export function actorOf(type: Author["type"] | null, id: string | null): Actor {
  if (type === null || id === null) return null;
  if (type === "api") return { type: "api_actor", api_key_id: id };
  if (type === "user") return { type: "user_actor", user_id: id };
  if (type === "session") return { type: "session_actor", session_id: id };
  return { type: "service_account_actor", service_account_id: id };
}
