// What a session of an older revision is told beside its requests: what it watches, and the stream of its GET.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Context } from "../../../kernel/context.ts";
import type { Api } from "../caller.ts";
import { paced, type Paced } from "../changes/paced.ts";
import { takePlace, type Place } from "../changes/places.ts";
import { allowedOf, expectFewUris, isThere, watched } from "../changes/wanted.ts";
import { openWatch, type Caller, type Notice, type Watch } from "../changes/watch.ts";
import { openEvents } from "./exchange.ts";
import * as queries from "./queries.ts";

const channel = "mcp_session_notices";

/** What the session watches has changed, or the session has ended. */
export const tellNotices = ({ hints }: Pick<Context, "hints">, id: string): void =>
  hints.send(channel, id);

/** Where a client says which resources it watches. */
export interface Subscriptions {
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
}

export const makeSubscriptions = (context: Context, id: string, api: Api): Subscriptions => ({
  subscribe: async (uri) => {
    const known = watched(uri);
    if (known === undefined || !(await isThere(api, known.named)))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no resource ${uri.slice(0, 300)}.`,
        { uri },
      );
    await change(context, id, (uris) => {
      const more = [...new Set([...uris, uri])];
      expectFewUris(more, "resources/subscribe");
      return more;
    });
  },
  unsubscribe: (uri) => change(context, id, (uris) => uris.filter((each) => each !== uri)),
});

async function change(
  context: Context,
  id: string,
  work: (uris: readonly string[]) => readonly string[],
): Promise<void> {
  await context.db.tx(async (tx) => {
    const uris = await queries.lockSubscribed(tx, id);
    if (uris === undefined) return;
    await queries.setSubscribed(tx, id, work(uris));
    tx.afterCommit(() => tellNotices(context, id));
  });
}

export interface NoticesOptions {
  context: Context;
  session: queries.SessionRow;
  holder: queries.Holder;
  api: Api;
  caller: Caller;
}

/** Rule MCE37: one stream of a session is told; another GET takes its place. */
export async function openNotices(options: NoticesOptions): Promise<Response> {
  const { context, session, holder, api, caller } = options;
  const { clock, hints, ids, signal } = context;
  const place = takePlace(context, holder.holderId);
  const streamId = ids.next("ask_");
  const ends: (() => void)[] = [() => place.leave()];
  const leave = () => {
    for (const end of ends.splice(0)) end();
  };
  try {
    const wanted = await allowedOf(api, {
      resourcesListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: session.subscribed,
    });
    place.add(wanted.uris.length);
    const events = openEvents(clock, {}, leave);
    let [told, stream]: [number, Paced | undefined] = [0, undefined];
    const end = () => {
      leave();
      events.end();
    };
    const watch = await openWatch(context, wanted, {
      caller,
      taken: () => stream?.taken() ?? Promise.resolve(),
      tell: (notice) => {
        told += 1;
        events.write(`event: message\ndata: ${JSON.stringify(messageOf(notice))}\n\n`);
      },
      ended: end,
    });
    ends.push(() => watch.stop());
    const followAgain = inTurn(() => followSubscribed(options, { watch, place, end }));
    const deaf = hints.listen(channel, (key) => {
      const [id, newer] = key.split(" ");
      // Ids are in the order of their making: what is told late of an older stream ends none.
      if (id === session.id && newer !== undefined && newer > streamId) end();
      else if (id === "*" || (id === session.id && newer === undefined)) followAgain();
    });
    ends.push(deaf);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
    hints.send(channel, `${session.id} ${streamId}`);
    // What was asked for since the session was read.
    followAgain();
    events.write(": listening\n\n");
    watch.start();
    stream = paced(events.response, () => told);
    return stream.response;
  } catch (error) {
    leave();
    throw error;
  }
}

const messageOf = (notice: Notice) =>
  "uri" in notice
    ? { jsonrpc: "2.0", method: "notifications/resources/updated", params: notice }
    : { jsonrpc: "2.0", method: `notifications/${notice.list}/list_changed` };

interface Stream {
  watch: Watch;
  place: Place;
  end(): void;
}

async function followSubscribed(
  { context, session, holder, api }: NoticesOptions,
  { watch, place, end }: Stream,
): Promise<void> {
  try {
    const now = await queries.findSession(context.db, session.id, holder);
    if (now === undefined) return end();
    for (const uri of watch.followed()) if (!now.subscribed.includes(uri)) watch.unfollow(uri);
    for (const uri of now.subscribed) {
      const known = watched(uri);
      if (known === undefined || watch.followed().includes(uri)) continue;
      if (!(await isThere(api, known.named))) continue;
      place.add(1);
      await watch.follow(known);
    }
  } catch (error) {
    // The client opens another stream, and is told there what hinders it.
    context.logger.warn({ error, session: session.id }, "a stream of notices of MCP ended");
    end();
  }
}

/** One after the other, and once for all that ask while one is under way. */
function inTurn(work: () => Promise<void>): () => void {
  let [isBusy, again] = [false, false];
  const run = async () => {
    isBusy = true;
    do {
      again = false;
      await work();
    } while (again);
    isBusy = false;
  };
  return () => {
    again = true;
    if (!isBusy) void run();
  };
}
