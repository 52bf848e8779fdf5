// Who did something: an API key, a person, a session, a service account.
import { Bot, CircleUser, KeyRound, Workflow, type LucideIcon } from "lucide-react";
import type { MemoryVersion } from "../server/api.ts";
import { useMe } from "../server/queries.ts";
import { Name } from "./name.tsx";

type Actor = NonNullable<MemoryVersion["created_by"]>;

const kinds: Record<Actor["type"], [LucideIcon, string]> = {
  api_actor: [KeyRound, "API key"],
  user_actor: [CircleUser, "Person"],
  session_actor: [Workflow, "Session"],
  service_account_actor: [Bot, "Service account"],
};

export function ActorName({ actor }: { actor: Actor | null }) {
  const { user } = useMe();
  if (actor === null) return <span className="text-soft">Unknown</span>;
  const [Icon, noun] = kinds[actor.type];
  const id = idOf(actor);
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-bottom">
      <Icon size={14} aria-hidden className="shrink-0 text-soft" />
      <Name
        id={id}
        known={id === user.id ? `${user.name} (you)` : undefined}
        title={`${noun} ${id}`}
        unnamed={`${noun} …${id.slice(-6)}`}
      />
    </span>
  );
}

function idOf(actor: Actor): string {
  if ("api_key_id" in actor) return actor.api_key_id;
  if ("user_id" in actor) return actor.user_id;
  return "session_id" in actor ? actor.session_id : actor.service_account_id;
}
