// A connection to one MCP server: which tools it has, and calls of them, by the official client in either revision.
import { Client, type PriorDiscovery } from "@modelcontextprotocol/client";
import type { World } from "../../kernel/context.ts";
import { makeScrub } from "../../kernel/secret/spellings.ts";
import {
  callOf,
  callOrAsk,
  noTask,
  type CalledTool,
  type CallOutcome,
  type Resumed,
  type TaskGiven,
} from "./calls.ts";
import { readResult } from "./answers/content.ts";
import { readPage, type ToolPage, type WholeResult } from "./answers/pages.ts";
import { faultOf } from "./faults.ts";
import { helpCapabilities, Helping, type ServerHelp } from "./questions/help.ts";
import { CallTime, PushedQuestions } from "./questions/pushed.ts";
import { limits } from "./limits.ts";
import { oldStatuses, openOldTransport } from "./old-transport.ts";
import { listTools, type Ask, type ListedTools, type Waiting } from "./lists/list.ts";
import { hearOfTools } from "./lists/notices.ts";
import { clean, cut, type Scrub } from "./lists/tools.ts";
import { readProgress } from "./answers/progress.ts";
import { mcpSettingsOf, type McpSettings } from "./settings.ts";
import { taskRequests, tasksExtension, type TaskRequests } from "./tasks.ts";
import { openTransport } from "./transport.ts";
import {
  forgetVerdict,
  learnVerdict,
  oldServer,
  recallVerdict,
  type Known,
} from "./lists/verdicts.ts";
import { makeWire, McpFault, type ServerAddress } from "./wire.ts";

/** One thing at a time is asked over it. */
export interface McpConnection {
  /** What the server says it is, cut, and the revision that is spoken. */
  about: { name: string; version: string; revision: string };
  /** Nothing has been asked over it, and that the server speaks the revision is known from an earlier connection. */
  isAssumed: boolean;
  /** The server has said so since they were listed. */
  haveToolsChanged(): boolean;
  /** `isWanted` is asked by the name that the server gives a tool. */
  list(isWanted: (name: string) => boolean, waiting: Waiting): Promise<ListedTools>;
  /** A server that asks for something is at fault. */
  call(tool: CalledTool, input: Record<string, unknown>, signal: AbortSignal): Promise<WholeResult>;
  readPage(uri: string, waiting: Waiting): Promise<ToolPage>;
  /** Over a connection whose server knows that it may ask. */
  callOrAsk(
    tool: CalledTool,
    input: Record<string, unknown>,
    given: { signal: AbortSignal; resumed: Resumed | null; help: ServerHelp; traceparent: string },
  ): Promise<CallOutcome>;
  /** Of tasks that calls over this connection, or another to its server, were given. */
  aboutTask<T>(waiting: Waiting, work: (tasks: TaskRequests) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Connecting extends Waiting {
  /** It is a session's, which is kept: there is a person who can be asked while a call waits. */
  mayAsk?: boolean;
  /** What an earlier connection has found out is taken for true: what is asked first can be asked again. */
  mayAssume?: boolean;
}

/** Throws faults, and the reason of its signal. */
export async function connectServer(
  world: World,
  address: ServerAddress,
  { mayAssume = false, ...given }: Connecting,
): Promise<McpConnection> {
  const prior = mayAssume ? recallVerdict(world, address) : undefined;
  if (prior === undefined) return openAny(world, address, given);
  try {
    return await open(world, address, given, prior);
  } catch (error) {
    if (!(error instanceof McpFault) || error.kind === "authentication") throw error;
    forgetVerdict(world, address);
    return openAny(world, address, given);
  }
}

/** Rule MCP42. What such a server is not is told as the newer revisions have it. */
async function openAny(
  world: World,
  address: ServerAddress,
  given: Waiting & { mayAsk?: boolean },
): Promise<McpConnection> {
  try {
    return await open(world, address, given);
  } catch (error) {
    if (!(error instanceof McpFault) || !oldStatuses.includes(error.status)) throw error;
    try {
      return await open(world, address, given, oldServer);
    } catch (second) {
      throw second instanceof McpFault && second.kind !== "authentication" ? error : second;
    }
  }
}

async function open(
  world: World,
  address: ServerAddress,
  { mayAsk = false, ...waiting }: Waiting & { mayAsk?: boolean },
  known?: Known,
): Promise<McpConnection> {
  const settings = mcpSettingsOf(world);
  const wire = makeWire(world, address, settings.connectMs, mayAsk);
  const isOld = known?.kind === "old";
  const prior: PriorDiscovery | undefined = isOld ? { kind: "legacy" } : known;
  const client = makeClient(world, settings, mayAsk);
  const begun = AbortSignal.any([
    waiting.signal,
    AbortSignal.timeout(Math.ceil(settings.connectMs)),
  ]);
  const { transport, leftOut, taskGiven, hasSession, endSession } = isOld
    ? openOldTransport(address.url, wire, begun)
    : openTransport(address.url, wire);
  const scrub = scrubOf(address);
  const helping = new Helping(world, scrub);
  const pushed = new PushedQuestions(scrub);
  if (mayAsk) {
    helping.listen(client);
    pushed.listen(client);
  }
  const notices = hearOfTools(world, address, client);
  const close = async () => {
    await notices.close();
    wire.timeoutMs = limits.farewellMs;
    // Of the revisions that have sessions. That a server does not care keeps no one waiting. What was asked with a
    // credential ends by itself: it may be archived by now, and is not sent again.
    if (address.authorization === undefined) await endSession().catch(() => {});
    await client.close().catch(() => {});
  };
  const ask: Ask = async (timeoutMs, { signal, untilMs }, work) => {
    wire.begin(timeoutMs);
    const leftMs = Math.max(1, Math.ceil(untilMs - world.clock.monotonicMs()));
    try {
      return await work({ timeout: Math.min(timeoutMs, leftMs), signal });
    } catch (error) {
      const cause: unknown = signal.aborted ? signal.reason : error;
      if (signal.aborted && !(cause instanceof McpFault)) throw cause;
      const { fault: sent } = wire;
      const fault = faultOf(cause, { fault: sent, hasSession: hasSession(), timeoutMs, scrub });
      if (!wire.hasSent) fault.mayHaveRun = false;
      throw fault;
    }
  };
  try {
    await ask(settings.connectMs, waiting, (options) =>
      client.connect(transport, { ...options, ...(prior && { prior }) }),
    );
    if (prior === undefined || isOld) learnVerdict(world, address, client, isOld);
  } catch (error) {
    await client.close().catch(() => {});
    if (error instanceof McpFault) error.mayHaveRun = false;
    throw error;
  }
  return {
    about: aboutOf(client, scrub),
    isAssumed: prior?.kind === "modern",
    haveToolsChanged: notices.haveChanged,
    list: async (isWanted, asked) => {
      notices.forget();
      const listed = await listTools({ client, settings, ask, scrub, leftOut }, isWanted, asked);
      if (mayAsk) notices.listen(listed);
      return listed;
    },
    ...callsOver({ world, client, settings, ask, scrub, helping, pushed, taskGiven }),
    close,
  };
}

interface Calling {
  world: World;
  client: Client;
  settings: McpSettings;
  ask: Ask;
  scrub: Scrub;
  helping: Helping;
  pushed: PushedQuestions;
  taskGiven: TaskGiven;
}

const callsOver = ({
  world,
  client,
  settings,
  ask,
  scrub,
  helping,
  pushed,
  taskGiven,
}: Calling): Pick<McpConnection, "call" | "readPage" | "callOrAsk" | "aboutTask"> => ({
  call: (tool, input, signal) =>
    ask(settings.callMs, { signal, untilMs: Infinity }, async (options) => {
      const result = noTask(await client.callTool(...callOf(tool, input, options)), taskGiven);
      return readResult(result, scrub);
    }),
  readPage: (uri, waiting) =>
    ask(settings.connectMs, waiting, async (options) =>
      readPage(await client.readResource({ uri }, options), uri, scrub),
    ),
  callOrAsk: (tool, input, { signal, resumed, help, traceparent }) => {
    const onprogress = (told: unknown) => help.tell(readProgress(told, scrub));
    const within = (timeoutMs: number, given: AbortSignal) =>
      ask(timeoutMs, { signal: given, untilMs: Infinity }, (options) =>
        callOrAsk(
          { client, scrub, helping, taskGiven },
          callOf(
            tool,
            input,
            { ...options, onprogress },
            { traceparent, ...helping.metaOf(client) },
          ),
          resumed,
        ),
      );
    return helping.during(help, resumed?.samples ?? 0, () => {
      if (client.getProtocolEra() === "modern") return within(settings.callMs, signal);
      // Its own time is the shorter one, but for that of a person.
      const timeoutMs = settings.callMs + limits.personMsMax;
      return pushed.during({ help, time: new CallTime(world, settings.callMs) }, (late) =>
        within(timeoutMs, AbortSignal.any([signal, late])),
      );
    });
  },
  aboutTask: (asked, work) =>
    ask(settings.connectMs, asked, (options) => work(taskRequests({ client, scrub, options }))),
});

function makeClient(world: World, { connectMs }: McpSettings, mayAsk: boolean): Client {
  return new Client(
    { name: "plinth", version: world.server.version },
    {
      capabilities: mayAsk
        ? {
            elicitation: { form: {}, url: {} },
            extensions: { [tasksExtension]: {} },
            ...helpCapabilities(world),
          }
        : {},
      versionNegotiation: { mode: "auto", probe: { timeoutMs: connectMs } },
      inputRequired: { autoFulfill: false },
      // Shapes of outputs are a stranger's programs for a validator: nothing is held against them.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({
          valid: true,
          data: input as never,
          errorMessage: undefined,
        }),
      },
    },
  );
}

function aboutOf(client: Client, scrub: Scrub): McpConnection["about"] {
  const shown = (text = "") => cut(clean(scrub(text)), limits.aboutCharactersMax);
  const implementation = client.getServerVersion();
  return {
    name: shown(implementation?.name),
    version: shown(implementation?.version),
    revision: shown(client.getNegotiatedProtocolVersion()),
  };
}

/** A shorter token is a word that may stand for anything, and no secret. */
function scrubOf({ authorization = "" }: ServerAddress): Scrub {
  const token = authorization.replace(/^Bearer /, "");
  return token.length < limits.scrubbedCharactersMin
    ? (text) => text
    : makeScrub([token], "[hidden]");
}
