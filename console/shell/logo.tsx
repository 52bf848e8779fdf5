// The mark: a plinth, cornice over die over base. The pages before sign-in draw the same one.
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} fill="currentColor" aria-hidden>
      <path d="M5 3h14v3H5zM7 7h10v9H7zM5 17h14v2H5zM3 20h18v2H3z" />
    </svg>
  );
}
