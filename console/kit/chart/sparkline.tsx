// Numbers over time as a small line. It only decorates a number that stands beside it in words.
const width = 96;
const height = 28;

export function Sparkline({ values }: { values: number[] }) {
  const top = Math.max(...values, 1);
  const step = width / Math.max(values.length - 1, 1);
  const points = values
    .map(
      (value, place) =>
        `${(place * step).toFixed(1)},${(height - (value / top) * height).toFixed(1)}`,
    )
    .join(" ");
  if (values.every((value) => value === 0)) return null;
  return (
    <svg
      aria-hidden
      viewBox={`0 -2 ${width} ${height + 4}`}
      width={width}
      height={height}
      className="absolute right-4 bottom-4 text-accent max-sm:hidden"
    >
      <polyline points={points} fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  );
}
