// Counts and amounts as people read them.

export const formatCount = (count: number): string => count.toLocaleString("en");

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** An amount of money: with more places where the first two would be zero. */
export function formatUnits(units: number): string {
  const maximumFractionDigits = units !== 0 && units < 1 ? 6 : 2;
  return units.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits });
}

/** From cents, as the API writes them. */
export const formatDollars = (cents: string | number): string =>
  `$${formatUnits(Number(cents) / 100)}`;
