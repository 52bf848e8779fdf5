// Rows of reservations: a group of attempts in each, written over when all of them have ended.
export interface ReservationRow {
  /** Its number among the rows of this node. */
  readonly slot: number;
  /** Attempts of the group that have not ended. */
  left: number;
  /** Its statement is under way. */
  isSent: boolean;
  /** Where it waits to be written over. */
  readonly free: ReservationRow[];
}

export interface ReservationRows {
  /** A row for so many attempts, to be written by one statement. */
  take(left: number): ReservationRow;
}

export function makeReservationRows(): ReservationRows {
  const free: ReservationRow[] = [];
  let made = 0;
  return {
    take: (left) => {
      const row = free.pop() ?? { slot: made++, left, isSent: true, free };
      return Object.assign(row, { left, isSent: true });
    },
  };
}

/** Its statement has come to its end, well or not. */
export function sentTo(row: ReservationRow): void {
  row.isSent = false;
  keepFree(row);
}

export function endedIn(row: ReservationRow): void {
  row.left -= 1;
  keepFree(row);
}

function keepFree(row: ReservationRow): void {
  if (row.left === 0 && !row.isSent) row.free.push(row);
}
