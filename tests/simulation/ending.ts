// What a simulated transaction still does when its work is done.

export interface Acts {
  beforeCommit: (() => Promise<void>)[];
  afterCommit: (() => void)[];
}

export async function withActs<T>(work: Promise<T>, { beforeCommit }: Acts): Promise<T> {
  const result = await work;
  for (const act of beforeCommit) await act();
  return result;
}
