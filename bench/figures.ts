// How figures are made and shown.

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The value that this share of all values stays under. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const show = (name: string, text: string) => console.log(`  ${name.padEnd(26)} ${text}`);

export const whole = (value: number) => (Math.round(value) + 0).toLocaleString("en-US");

export const ratio = (value: number, reference: number) => `${(value / reference).toFixed(2)} x`;
