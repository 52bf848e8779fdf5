// Amounts: as the server says them, as people read and type them, and how much of a limit is gone.

/** Two decimals, but six below one unit, where two would not tell what a single request costs. */
export function placesOf(units: number): 2 | 6 {
  const hundredths = units * 100;
  return units < 1 && Math.abs(hundredths - Math.round(hundredths)) > 1e-6 ? 6 : 2;
}

export function amountText(units: number): string {
  const places = placesOf(units);
  return units.toLocaleString("en", {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
}

/** Of amounts under each other, how many decimals the longest has. */
export const mostPlaces = (all: readonly number[]): number => Math.max(2, ...all.map(placesOf));

/** Hundredths of a unit, as the server says them. */
export const unitsOf = (hundredths: string): number => Number(hundredths) / 100;

/** `1234.5` -> `12.35`. */
export const unitsText = (hundredths: string): string => amountText(unitsOf(hundredths));

/** As it stands in a field: `1250` -> `12.50`; nothing where there is no limit. */
export const typedUnits = (hundredths: string | null | undefined): string =>
  hundredths == null ? "" : unitsOf(hundredths).toFixed(2);

/** `500`, `12.50` or `1,234.5` -> hundredths; undefined for anything else: `12,50` must not become 1,250. */
export function hundredthsOf(typed: string): string | undefined {
  const found = /^(\d{1,10}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d{1,2}))?$/.exec(typed.trim());
  if (found === null) return undefined;
  const [, units = "", rest = ""] = found;
  const text = `${units.replaceAll(",", "")}${rest.padEnd(2, "0")}`.replace(/^0+(?=\d)/, "");
  return BigInt(text) <= 100_000_000_000n ? text : undefined;
}

export const notAnAmount =
  "This is no amount: write units with at most two decimals, as in 500 or 12.50, up to a billion.";

/** How much of a limit is gone, up to all of it; of a limit of nothing all is. Undefined where there is none. */
export function shareOf(gone: number, limit: number | null): number | undefined {
  if (limit === null) return undefined;
  return limit === 0 ? 1 : Math.min(1, gone / limit);
}

/** From here on a limit is nearly gone, and from there on as good as gone. */
const warnShare = 0.8;
const badShare = 0.95;

export type LimitTone = "accent" | "warn" | "bad";

/** The colour of what is gone of a limit. */
export function limitTone(share: number | undefined): LimitTone {
  if (share === undefined || share < warnShare) return "accent";
  return share < badShare ? "warn" : "bad";
}

export const percent = (share: number): string =>
  share > 0 && share < 0.01 ? "under 1%" : `${Math.floor(share * 100)}%`;

/** `1234567` nano -> `0.001235`; six places are a thousandth of a cent's tenth. */
export const moneyText = (nano: number): string => (nano / 1e9).toFixed(6);

/** Nano-units for one token -> units for a million tokens. */
export const perMillion = (nano: number): string =>
  (nano / 1e3).toLocaleString("en", { maximumFractionDigits: 3 });
