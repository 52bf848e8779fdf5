// The server of one request, whose answer is taken as it leaves. The packages would make a Response of it, which is
// read and taken apart again, and end each server with an error: an eighth of what a call costs.
import { Server, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";

export type Answered = (message: JSONRPCMessage) => void;

export class OneAnswerServer extends Server {
  /** Told the result, where nothing was said before it: what comes in a stream goes the packages' own way. */
  answered: Answered | undefined;

  override connect(transport: Transport): Promise<void> {
    if (this.answered !== undefined) takeAnswer(this, transport, this.answered);
    return super.connect(transport);
  }
}

function takeAnswer(server: Server, transport: Transport, answered: Answered): void {
  const send = transport.send.bind(transport);
  let before: "nothing" | "other messages" | "the answer" = "nothing";
  transport.send = async (message, options) => {
    if (before === "the answer") return;
    if (before === "nothing" && "result" in message) {
      before = "the answer";
      answered(message);
      // The packages keep a list of those that have not answered yet.
      server.onclose?.();
      return;
    }
    before = "other messages";
    await send(message, options);
  };
}
