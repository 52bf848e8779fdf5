// Things that come and go all the time, kept in the order of coming: what has gone leaves nothing behind.

/** A place in a list. */
export interface Link<Value> {
  value: Value | undefined;
  previous: Link<Value> | undefined;
  next: Link<Value> | undefined;
}

/**
 * In place of a Set that lives for long and whose members do not. V8 leaves the table that such a Set has outgrown as
 * it is, and has it point to the next one. From the first that has become old each later table survives every
 * collection of young garbage, with what stood in it, until a full collection.
 */
export class LinkedList<Value> implements Iterable<Value> {
  #first: Link<Value> | undefined;
  #last: Link<Value> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Link<Value> | undefined {
    return this.#first;
  }

  add(value: Value): Link<Value> {
    const link: Link<Value> = { value, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size += 1;
    return link;
  }

  /** Does nothing the second time. */
  remove(link: Link<Value>): void {
    if (link.value === undefined) return;
    const { previous, next } = link;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    this.#size -= 1;
    // Whoever still holds the link must not hold its neighbours, nor what stood there.
    link.value = link.previous = link.next = undefined;
  }

  /** What is there now: changes meanwhile do not matter. */
  [Symbol.iterator](): Iterator<Value> {
    const values: Value[] = [];
    for (let link = this.#first; link !== undefined; link = link.next)
      if (link.value !== undefined) values.push(link.value);
    return values.values();
  }
}
