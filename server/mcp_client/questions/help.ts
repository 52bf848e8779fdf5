// What an MCP server may ask of a session itself while a call runs: an answer of its model, and its directories; and
// what it logs meanwhile. All are deprecated by the revision 2026-07-28, and end with a date.
import {
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Client,
} from "@modelcontextprotocol/client";
import type { World } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";
import {
  isDeprecatedOffered,
  readSample,
  SampleProblem,
  type HelpAsked,
  type HelpMethod,
  type SampleAnswer,
  type SampleRequest,
} from "./sampling.ts";
import type { QuestionAnswers, Questions } from "./questions.ts";
import type { Scrub } from "../lists/tools.ts";
import { wordsOf, type Progress } from "../answers/progress.ts";
import { McpFault } from "../wire.ts";

/** What the session of a call gives its server. */
export interface ServerHelp {
  /** Of a person, while the call waits; null where there is none until the signal. */
  ask(questions: Questions, closed: AbortSignal): Promise<QuestionAnswers | null>;
  /** Throws a `SampleProblem` where the model is not asked. */
  sample(request: SampleRequest): Promise<SampleAnswer>;
  roots: readonly { uri: string; name: string }[];
  /** How far the call is. */
  tell(progress: Progress): void;
}

export const helpCapabilities = (world: World) =>
  isDeprecatedOffered(world) ? { sampling: {}, roots: {} } : {};

/** Of the call that is under way, if one is. */
export class Helping {
  #call: { help: ServerHelp; samples: number } | undefined;
  readonly #world: World;
  readonly #scrub: Scrub;

  constructor(world: World, scrub: Scrub) {
    this.#world = world;
    this.#scrub = scrub;
  }

  /** While `work` lasts, of a call in which the model has been asked so often before. */
  async during<T>(help: ServerHelp, samples: number, work: () => Promise<T>): Promise<T> {
    this.#call = { help, samples };
    try {
      return await work();
    } finally {
      this.#call = undefined;
    }
  }

  /** How often the call that is under way has asked the model. */
  get samples(): number {
    return this.#call?.samples ?? 0;
  }

  /** Rule MCP24: what a call says of itself, so that its server tells what it logs. */
  metaOf(client: Client): Record<string, string> {
    const isAsked = client.getProtocolEra() === "modern" && isDeprecatedOffered(this.#world);
    return isAsked ? { [LOG_LEVEL_META_KEY]: "info" } : {};
  }

  /** Servers of the older revisions ask over the connection of the call. */
  listen(client: Client): void {
    if (!isDeprecatedOffered(this.#world)) return;
    client.setNotificationHandler("notifications/message", ({ params: { level, data } }) => {
      const message = wordsOf(typeof data === "string" ? data : JSON.stringify(data), this.#scrub);
      if (level === "debug" || message === null || !isDeprecatedOffered(this.#world)) return;
      this.#call?.help.tell({ progress: null, total: null, message });
    });
    const asked = async (method: HelpMethod, params: unknown) => {
      if (!isDeprecatedOffered(this.#world))
        throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
      try {
        return await this.answer(method, params);
      } catch (error) {
        if (!(error instanceof SampleProblem)) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message);
      }
    };
    client.setRequestHandler("sampling/createMessage", async ({ params }) => ({
      ...((await asked("sampling/createMessage", params)) as SampleMessage),
    }));
    client.setRequestHandler("roots/list", async ({ params }) => ({
      ...((await asked("roots/list", params)) as { roots: { uri: string; name: string }[] }),
    }));
  }

  /** All that one answer of a server of the revision 2026-07-28 asks for. Throws the fault of the server. */
  async answers(asked: Readonly<Record<string, HelpAsked>>): Promise<Record<string, object>> {
    const answers: Record<string, object> = {};
    for (const [key, { method, params }] of Object.entries(asked))
      try {
        answers[key] = await this.answer(method, params);
      } catch (error) {
        if (!(error instanceof SampleProblem)) throw error;
        throw new McpFault(
          "answer",
          `asked for something of the session, and got nothing: ${error.message}`,
        );
      }
    return answers;
  }

  private async answer(method: HelpMethod, params: unknown): Promise<object> {
    if (!isDeprecatedOffered(this.#world))
      throw new SampleProblem("there is no such method any more.");
    const call = this.#call;
    if (call === undefined)
      throw new SampleProblem("nothing is given while no call of a session runs.");
    if (method === "roots/list") return { roots: call.help.roots };
    if (call.samples >= limits.samplesPerCallMax)
      throw new SampleProblem(`a call asks the model ${limits.samplesPerCallMax} times at most.`);
    call.samples += 1;
    const { text, model, stopReason } = await call.help.sample(
      await readSample(params, this.#scrub),
    );
    return { role: "assistant", content: { type: "text", text }, model, stopReason };
  }
}

interface SampleMessage {
  role: "assistant";
  content: { type: "text"; text: string };
  model: string;
  stopReason: string;
}
