// Waiting for the next iteration of the event loop, so that what arrives in this one can be handled together.

/** Resolves after all input that has arrived by now was handled; without a timer. */
export const nextLoopIteration = () => new Promise<void>((resolve) => void setImmediate(resolve));
