// Many requests, a few at a time.

/** The server writes concurrent requests as one group, which is faster than one by one; more at once gain nothing. */
const atOnce = 8;

/** After a failure no more begin; those under way end first. */
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
