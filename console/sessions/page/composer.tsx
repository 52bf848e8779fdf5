// Where a person talks to a session, and stops what runs in it.
import { useMutation } from "@tanstack/react-query";
import { CircleStop, SendHorizontal } from "lucide-react";
import { useEffect, useState, type FormEvent, type KeyboardEvent } from "react";
import { Button } from "../../kit/page/button.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { useUnsaved } from "../../kit/server/signed-out.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { firstMessageOf, takeFirstMessage } from "../first-message.ts";
import { message, sendEvents, type ClientEvent } from "../send-events.ts";

export function Composer({
  session,
  thread,
  isRunning,
  isLive,
}: {
  session: string;
  /** Another thread than the session's own: it can be interrupted, and is not talked to. */
  thread: string | undefined;
  isRunning: boolean;
  /** What happens is seen as it happens. */
  isLive: boolean;
}) {
  const { id: workspace } = useWorkspace();
  const [text, setText] = useState(() => firstMessageOf(session) ?? "");
  useUnsaved(text !== "");
  const send = useMutation({
    mutationFn: (event: ClientEvent) => sendEvents(workspace, session, [event]),
  });
  // What is typed is there again where it could not be sent.
  const say = (said: string) => send.mutate(message(said), { onSuccess: () => setText("") });
  useEffect(() => {
    const first = isLive ? takeFirstMessage(session) : undefined;
    if (first !== undefined) say(first);
  }, [isLive, session]);
  function submit(event?: FormEvent): void {
    event?.preventDefault();
    const said = text.trim();
    if (said !== "" && !send.isPending) say(said);
  }
  const interrupt = () =>
    send.mutate({
      type: "user.interrupt",
      ...(thread !== undefined && { session_thread_id: thread }),
    });
  return (
    <form
      onSubmit={submit}
      className="sticky bottom-0 z-10 mt-4 grid gap-2 border-t border-line bg-ground py-3"
    >
      {send.error !== null && <TroubleBox error={send.error} />}
      {thread === undefined && <MessageField text={text} onType={setText} onEnter={submit} />}
      <div className="flex flex-wrap items-center gap-2">
        {thread === undefined && (
          <Button type="submit" look="primary" busy={send.isPending} disabled={text.trim() === ""}>
            <SendHorizontal size={16} aria-hidden />
            Send
          </Button>
        )}
        {isRunning && (
          <Button onClick={interrupt} disabled={send.isPending}>
            <CircleStop size={16} aria-hidden />
            Interrupt
          </Button>
        )}
        {isRunning && thread === undefined && (
          <span className="text-sm text-soft">What you send now waits for its turn.</span>
        )}
        {!isRunning && thread !== undefined && (
          <span className="text-sm text-soft">
            Only the session&rsquo;s own thread takes messages; this one is asked by the agent.
          </span>
        )}
      </div>
    </form>
  );
}

function MessageField({
  text,
  onType,
  onEnter,
}: {
  text: string;
  onType: (text: string) => void;
  onEnter: () => void;
}) {
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onEnter();
  }
  return (
    <textarea
      aria-label="Message to the agent"
      rows={1}
      value={text}
      placeholder="Say something. Enter sends, Shift and Enter begin a line."
      onChange={({ target }) => onType(target.value)}
      onKeyDown={onKeyDown}
      className="field-sizing-content max-h-[40dvh] min-h-10 w-full rounded-md border border-line-strong bg-surface px-2.5 py-2 text-ink"
    />
  );
}
