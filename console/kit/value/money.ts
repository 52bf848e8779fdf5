// Amounts: as the server says them, as people read and type them, and how much of a limit is gone.

/** Two decimals, but six below one dollar, where two would not tell what a single request costs. */
export function placesOf(dollars: number): 2 | 6 {
  const hundredths = dollars * 100;
  return dollars < 1 && Math.abs(hundredths - Math.round(hundredths)) > 1e-6 ? 6 : 2;
}

const asDollars = { style: "currency", currency: "USD" } as const;

export function amountText(dollars: number): string {
  const places = placesOf(dollars);
  return dollars.toLocaleString("en", {
    ...asDollars,
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
}

/** Of amounts under each other, how many decimals the longest has. */
export const mostPlaces = (all: readonly number[]): number => Math.max(2, ...all.map(placesOf));

/** Cents, as the server says them. */
export const dollarsOf = (hundredths: string): number => Number(hundredths) / 100;

/** `1234.5` -> `$12.35`. */
export const dollarsText = (hundredths: string): string => amountText(dollarsOf(hundredths));

/** As it stands in a field: `1250` -> `12.50`; nothing where there is no limit. */
export const typedDollars = (hundredths: string | null | undefined): string =>
  hundredths == null ? "" : dollarsOf(hundredths).toFixed(2);

/** `500`, `12.50` or `1,234.5` -> hundredths; undefined for anything else: `12,50` must not become 1,250. */
export function hundredthsOf(typed: string): string | undefined {
  const found = /^(\d{1,10}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d{1,2}))?$/.exec(typed.trim());
  if (found === null) return undefined;
  const [, dollars = "", rest = ""] = found;
  const text = `${dollars.replaceAll(",", "")}${rest.padEnd(2, "0")}`.replace(/^0+(?=\d)/, "");
  return BigInt(text) <= 100_000_000_000n ? text : undefined;
}

export const notAnAmount =
  "This is no amount: write dollars with at most two decimals, as in 500 or 12.50, up to a billion.";

/** How much of a limit is gone, up to all of it; of a limit of nothing all is. Undefined where there is none. */
export function shareOf(gone: number, limit: number | null): number | undefined {
  if (limit === null) return undefined;
  return limit === 0 ? 1 : Math.min(1, gone / limit);
}

/** The same in words, also past the limit: `150%`. Nothing where it is of nothing. */
export function goneText(gone: number, limit: number): string | undefined {
  return limit === 0 ? undefined : percent(gone / limit);
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

/** `1234567` nano-dollars -> `$0.001235`: what one answer costs. */
export const moneyText = (nano: number): string => `$${(nano / 1e9).toFixed(6)}`;

/** Nano-dollars for one token -> dollars for a million tokens. */
export const perMillion = (nano: number): string =>
  (nano / 1e3).toLocaleString("en", { ...asDollars, maximumFractionDigits: 3 });
