// Who makes a call: what may be done in their name, and what their client can do.
import { isFailure } from "../../kernel/base/failure.ts";
import type { Context, World } from "../../kernel/context.ts";
import type { InnerInput } from "../../kernel/http/inner-call.ts";
import { accessRecorderOf } from "../audit/module.ts";

/** The API in the name of the caller, by the operation of the route. */
export type Api = (operation: string, input?: InnerInput) => Promise<unknown>;

/** Rule MCE45. */
export const noting =
  (world: World, context: Context, api: Api): Api =>
  async (operation, input) => {
    try {
      return await api(operation, input);
    } catch (error) {
      if (isFailure(error) && error.status === 403) {
        const facts = { operation, status: error.status, failure: error };
        accessRecorderOf(world).noteDenied(context, facts);
      }
      throw error;
    }
  };

/** What the client of a request can do: ask its person in two ways, and look at tasks. */
export interface Client {
  form: boolean;
  url: boolean;
  hasTasks: boolean;
}

/** The turn of a session that a message to it began. */
export interface Turn {
  session_id: string;
  sent_id: string;
}
