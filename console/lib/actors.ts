// Who did something, as a name.
import { useQuery } from "@tanstack/react-query";
import { api, server, type MemoryVersion } from "./api.ts";
import { useMe } from "./queries.ts";

export type Actor = MemoryVersion["created_by"];

const keysMax = 1_000;

/** Names of keys, and of people who made keys: the newest thousand. */
const names = {
  queryKey: ["keys", "names"],
  queryFn: async () => {
    const found: Record<string, string> = {};
    let keys = 0;
    for await (const key of server.pages(api.keys.list, { query: { limit: 100 } })) {
      found[key.id] = key.name;
      if (key.created_by !== null) found[key.created_by.id] ??= key.created_by.name;
      if (++keys === keysMax) break;
    }
    return found;
  },
  staleTime: 60_000,
};

export function useActorName(): (actor: Actor) => string {
  const { user, permissions } = useMe();
  const { data = {} } = useQuery({ ...names, enabled: permissions.includes("api_keys:read") });
  return (actor): string => {
    if (actor === null) return "Unknown";
    const named = (id: string, noun: string) => data[id] ?? `${noun} …${id.slice(-6)}`;
    switch (actor.type) {
      case "api_actor":
        return named(actor.api_key_id, "API key");
      case "user_actor":
        return actor.user_id === user.id ? `${user.name} (you)` : named(actor.user_id, "Person");
      case "session_actor":
        return `Session …${actor.session_id.slice(-6)}`;
      case "service_account_actor":
        return `Service account …${actor.service_account_id.slice(-6)}`;
    }
  };
}

/** The whole id, for the title. */
export function actorId(actor: Actor): string | undefined {
  if (actor === null) return undefined;
  switch (actor.type) {
    case "api_actor":
      return actor.api_key_id;
    case "user_actor":
      return actor.user_id;
    case "session_actor":
      return actor.session_id;
    default:
      return actor.service_account_id;
  }
}
