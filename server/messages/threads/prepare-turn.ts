// A turn of a kept conversation made ready: the whole of it is judged and answered as any other request.
import { Failure, isFailure } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import {
  prepareRequest,
  type Incoming,
  type PreparedRequest,
} from "../prepare/prepared-request.ts";
import type { Accounting } from "../run/accounting.ts";
import { openTurn } from "./service.ts";

export async function prepareTurn(
  context: Context,
  incoming: Incoming,
  accounting: Accounting,
  held: DisposableStack,
): Promise<PreparedRequest> {
  const { keptMessages, resumes, begin, ...opened } = await openTurn(context, incoming);
  try {
    const prepared = await prepareRequest(context, opened.incoming, accounting, held, resumes);
    return { ...prepared, thread: await begin() };
  } catch (error) {
    throw isFailure(error) ? inClientsNumbers(error, keptMessages) : error;
  }
}

/** The client has sent but the last of the messages, and numbers them from 0. */
function inClientsNumbers(failure: Failure, kept: number): Failure {
  if (kept === 0) return failure;
  const message = failure.message.replace(/\bmessages\.(\d+)/g, (path, number: string) =>
    Number(number) < kept ? `the thread's ${path}` : `messages.${Number(number) - kept}`,
  );
  return new Failure(failure.type, message, { ...failure.options, cause: failure });
}
