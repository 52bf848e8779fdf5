// Who did something: an API key, a person, a session.
import { Bot, CircleUser, KeyRound, Workflow, type LucideIcon } from "lucide-react";
import { actorTitle, useActorName, type Actor } from "./actors.ts";

const icons: Record<NonNullable<Actor>["type"], LucideIcon> = {
  api_actor: KeyRound,
  user_actor: CircleUser,
  session_actor: Workflow,
  service_account_actor: Bot,
};

export function ActorName({ actor }: { actor: Actor }) {
  const nameOf = useActorName();
  if (actor === null) return <span className="text-soft">Unknown</span>;
  const Icon = icons[actor.type];
  return (
    <span
      className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-bottom"
      title={actorTitle(actor)}
    >
      <Icon size={14} aria-hidden className="shrink-0 text-soft" />
      <span className="truncate">{nameOf(actor)}</span>
    </span>
  );
}
