// Waiting for the end of this turn of the event loop, so that what comes in it can be handled together.

/** After all that has arrived by now was looked at; without a timer. */
export const nextLoopIteration = () => new Promise<void>((resolve) => void setImmediate(resolve));
