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
