// What the settings file says of messages.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { threadLimits } from "./threads/limits.ts";

const MessagesSection = Type.Object(
  {
    /** How long a conversation is kept after its last turn; 0: none is, and a request with a `thread` is refused. */
    threads_kept_hours: Type.Optional(
      Type.Integer({ minimum: 0, maximum: threadLimits.keptHoursMax }),
    ),
  },
  { additionalProperties: false },
);
type MessagesSection = Static<typeof MessagesSection>;

export const messagesSection = defineSection({
  name: "messages",
  describe: "How long conversations are kept for clients that ask for that.",
  schema: MessagesSection,
  fallback: {},
});

export function threadsKeptMs({ sections }: Pick<World, "sections">): number {
  const section = (sections?.["messages"] ?? {}) as MessagesSection;
  return (section.threads_kept_hours ?? threadLimits.keptHours) * 60 * 60 * 1000;
}
