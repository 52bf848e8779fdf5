// A stream of notices whose reader may be slow: what waits for it is known.

export interface Paced {
  response: Response;
  /** Resolves when the reader has taken all, or is gone. */
  taken(): Promise<void>;
}

/** Each chunk of the body is one frame; `count` says how many have been written that are no comments. */
export function paced({ body, status, headers }: Response, count: () => number): Paced {
  const reader = body?.getReader();
  const progress = { read: 0, isOver: reader === undefined };
  let waiting = Promise.withResolvers<void>();
  const moved = () => {
    waiting.resolve();
    waiting = Promise.withResolvers();
  };
  const end = () => {
    progress.isOver = true;
    moved();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done || value === undefined) {
          end();
          return controller.close();
        }
        if (value[0] !== comment) progress.read += 1;
        moved();
        controller.enqueue(value);
      },
      cancel: (reason) => {
        end();
        return reader?.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return {
    response: new Response(stream, { status, headers }),
    taken: async () => {
      while (!progress.isOver && progress.read < count()) await waiting.promise;
    },
  };
}

const comment = ":".charCodeAt(0);
