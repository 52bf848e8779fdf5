// The mark: a column standing on its plinth.
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} fill="currentColor" aria-hidden>
      <path d="M11 2h2.6v12H11zM14.7 2h2.6v12h-2.6zM18.4 2H21v12h-2.6z" />
      <rect x="7" y="15" width="18" height="4" rx="2" />
      <rect x="8.5" y="20.2" width="15" height="3.2" />
      <rect x="4" y="24.6" width="24" height="4.4" rx="0.8" />
    </svg>
  );
}
