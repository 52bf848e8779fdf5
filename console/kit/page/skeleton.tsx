// The shape of what is on its way.
export function Skeleton({ className = "" }: { className?: string }) {
  return <div aria-hidden className={`animate-pulse rounded-md bg-hover ${className}`} />;
}

export function RowsSkeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div role="status" className="grid gap-2">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} className="h-10" />
      ))}
    </div>
  );
}

export function PageSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading</span>
      <Skeleton className="mb-2 h-7 w-44" />
      <Skeleton className="mb-7 h-5 w-80 max-w-full" />
      <Skeleton className="h-64" />
    </div>
  );
}
