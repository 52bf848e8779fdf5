// A tool of this server: what a client is told of it, and what it does by the routes of the API.
import Type, { type Static, type TObject } from "typebox";
import type { Clock } from "../../../kernel/base/clock.ts";
import type { ImageContent, InputRequests } from "@modelcontextprotocol/server";
import { worded } from "../../../kernel/base/patterns.ts";
import { closed } from "../../../kernel/http/route.ts";
import type { Api, Client, Turn } from "../caller.ts";
import { limits } from "../limits.ts";
import type { Log } from "../log.ts";

/** What a call gives back: a text for models, and the same as fields for programs. */
export interface ToolAnswer {
  text: string;
  fields?: Record<string, unknown>;
  isError?: true;
  /** Pictures, behind the text. */
  blocks?: ImageContent[];
  /** It goes on without the client, which looks at it as a task. */
  task?: Turn;
  /** It goes on when the client's person has answered. */
  asks?: { requests: InputRequests; turn: Turn };
}

/** The call was made before, and its client was asked something. */
export interface Resumed {
  turn: Turn;
  responses: Record<string, unknown>;
}

/** One call of a tool. */
export interface Call {
  api: Api;
  clock: Clock;
  client: Client;
  resumed?: Resumed;
  /** Aborts when the client no longer waits. */
  signal: AbortSignal;
  /** Tells a client that wants to know how far it is. */
  progress(done: number, message: string): Promise<void>;
  /** Rule MCE46. */
  log: Log;
}

export interface PlinthTool {
  name: string;
  title: string;
  description: string;
  input: TObject;
  /** Changes nothing. */
  isReading?: true;
  /** What it takes away is gone, and so is what it writes over. */
  isDestructive?: true;
  /** Lets others act, who may do what they have tools for. */
  isOpen?: true;
  /** The page on which clients show what it answers. */
  page?: string;
  call(call: Call, input: never): Promise<ToolAnswer>;
}

export interface Page<Item> {
  data: Item[];
  next_page: string | null;
}

export const paging = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.pageItemsMax, description: "How many at most." }),
  ),
  page: Type.Optional(
    Type.String({ maxLength: 2_000, description: "next_page of the answer before." }),
  ),
};
export const PageInput = closed(paging);

export const pageQuery = ({ limit = limits.pageItemsDefault, page }: Static<typeof PageInput>) => ({
  limit,
  ...(page !== undefined && { page }),
});

/** What a model or an agent is told: the API wants a word in it, and would name a field that the tool has not. */
export const said = (description: string) =>
  Type.String({ ...worded("\\S", "must not be empty or blank"), description });

/** For models as JSON, since what they read of it differs. */
export const listed = (fields: object): ToolAnswer => ({
  text: JSON.stringify(fields, null, 2),
  fields: { ...fields },
});
