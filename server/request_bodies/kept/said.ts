// What is held of a request under way whose workspace keeps bodies: by reference, until it has been answered.
import { accumulate, type Message, type WireEvent } from "../../models/module.ts";
import { limits } from "../limits.ts";

export interface Owner {
  requestId: string;
  organizationId: string;
  workspaceId: string;
}

export class UnderWay {
  readonly owner: Owner;
  readonly request: Buffer;
  #whole: Message | undefined;
  #sum = accumulate();
  #heardCharacters = 0;

  constructor(owner: Owner, request: Buffer) {
    this.owner = owner;
    this.request = request;
  }

  /** The answer in one piece, as the client gets it. */
  answer(message: Message): void {
    this.#whole = message;
  }

  /** The next events of a streamed answer, as the client gets them. */
  hear(events: readonly WireEvent[]): void {
    for (const event of events) {
      this.#heardCharacters += event.raw.length;
      if (this.isTooLong) return;
      this.#sum.add(event.data());
    }
  }

  /** Of a longer answer nothing more is added up. */
  get isTooLong(): boolean {
    return this.#heardCharacters > 4 * limits.readBytesMax;
  }

  message(): Message | undefined {
    return this.#whole ?? this.#sum.message();
  }
}
