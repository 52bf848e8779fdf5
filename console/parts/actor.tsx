// Who did something: an API key, a person, a session.
import { Bot, CircleUser, KeyRound, Workflow, type LucideIcon } from "lucide-react";
import { actorId, useActorName, type Actor } from "../lib/actors.ts";

const icons: Record<NonNullable<Actor>["type"], [icon: LucideIcon, noun: string]> = {
  api_actor: [KeyRound, "API key"],
  user_actor: [CircleUser, "Person"],
  session_actor: [Workflow, "Session"],
  service_account_actor: [Bot, "Service account"],
};

export function ActorName({ actor }: { actor: Actor }) {
  const nameOf = useActorName();
  if (actor === null) return <span className="text-soft">Unknown</span>;
  const [Icon, noun] = icons[actor.type];
  return (
    <span
      className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-bottom"
      title={`${noun} ${actorId(actor)}`}
    >
      <Icon size={14} aria-hidden className="shrink-0 text-soft" />
      <span className="truncate">{nameOf(actor)}</span>
    </span>
  );
}
