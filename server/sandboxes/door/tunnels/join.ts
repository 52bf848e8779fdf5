// A tunnel between two connections.
import type { Socket } from "node:net";

/** What one side says the other hears, to the end; a side that breaks off takes the other along. */
export function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.once("close", () => {
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
  });
}
