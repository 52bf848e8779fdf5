// Many requests, a few at a time.

/** What the server writes as one group is worth more than one at a time; more in flight gain nothing. */
const atOnce = 8;

/** After one that failed, no more begin; those under way end first. */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  let isOver = false;
  const work = async () => {
    for (const item of left) {
      if (isOver) return;
      try {
        await act(item);
      } catch (error) {
        isOver = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
