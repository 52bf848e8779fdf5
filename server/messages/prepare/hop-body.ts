// The body that a hop's model is asked with, and that is made again where it is needed later.
import type { MessageBody } from "../../models/module.ts";

/**
 * It is handed from function to function in place of the body: a function that waits for the answer holds what it was
 * given, and every collection of garbage would copy a long conversation.
 */
export class HopBody {
  readonly #make: () => MessageBody;
  #made: MessageBody | undefined;

  constructor(make: () => MessageBody) {
    this.#make = make;
  }

  get(): MessageBody {
    return (this.#made ??= this.#make());
  }

  letGo(): void {
    this.#made = undefined;
  }
}
