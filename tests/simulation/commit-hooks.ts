// What a simulated transaction still does when its work is done.

export interface CommitHooks {
  beforeCommit: (() => Promise<void>)[];
  afterCommit: (() => void)[];
}

export async function withCommitHooks<T>(
  work: Promise<T>,
  { beforeCommit }: CommitHooks,
): Promise<T> {
  const result = await work;
  for (const act of beforeCommit) await act();
  return result;
}

/** As a connection does them: each when those before it are done, whether they went well or not. */
export function oneByOne(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => {});
    return mine;
  };
}
