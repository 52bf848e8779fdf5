// Who did something, as a name.
import { useQuery } from "@tanstack/react-query";
import { api, server, type MemoryVersion } from "../server/api.ts";
import { usePersonName } from "./people.ts";
import { useMe } from "../server/queries.ts";

export type Actor = MemoryVersion["created_by"];

const keysMax = 1_000;

/** Names of keys: the newest thousand. */
const names = {
  queryKey: ["keys", "names"],
  queryFn: async () => {
    const found: Record<string, string> = {};
    let keys = 0;
    for await (const key of server.pages(api.keys.list, { query: { limit: 100 } })) {
      found[key.id] = key.name;
      if (++keys === keysMax) break;
    }
    return found;
  },
  staleTime: 60_000,
};

/** Names of service accounts, of those in the archive as well. */
const accountNames = {
  queryKey: ["federation", "account names"],
  queryFn: async () => {
    const query = { limit: 1_000, include_archived: true };
    const { data } = await server.service_accounts.list({ query });
    return Object.fromEntries(data.map(({ id, name }) => [id, name]));
  },
  staleTime: 60_000,
};

const nouns: Record<NonNullable<Actor>["type"], string> = {
  api_actor: "API key",
  user_actor: "Person",
  session_actor: "Session",
  service_account_actor: "Service account",
};

export function useActorName(): (actor: NonNullable<Actor>) => string {
  const { user, permissions } = useMe();
  const { data = {} } = useQuery({ ...names, enabled: permissions.includes("api_keys:read") });
  const mayNameAccounts = permissions.includes("service_accounts:read");
  const accounts = useQuery({ ...accountNames, enabled: mayNameAccounts }).data ?? {};
  const personName = usePersonName();
  return (actor) => {
    const id = idOf(actor);
    if (id === user.id) return `${user.name} (you)`;
    const name = actor.type === "user_actor" ? personName(id) : (data[id] ?? accounts[id]);
    return name ?? `${nouns[actor.type]} …${id.slice(-6)}`;
  };
}

/** For the title: what it is, and the whole id. */
export const actorTitle = (actor: NonNullable<Actor>): string =>
  `${nouns[actor.type]} ${idOf(actor)}`;

function idOf(actor: NonNullable<Actor>): string {
  if ("api_key_id" in actor) return actor.api_key_id;
  if ("user_id" in actor) return actor.user_id;
  return "session_id" in actor ? actor.session_id : actor.service_account_id;
}
