// Work that is under way, in words and as a bar where its share is known.
import { useId, type ReactNode } from "react";
import { Bar } from "../value/bar.tsx";

export function ProgressBar({
  label,
  share,
  className = "",
  children,
}: {
  label: string;
  share: number | undefined;
  className?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-describedby={id}
      {...(share !== undefined && { "aria-valuenow": Math.round(share * 100) })}
      className={`grid gap-1 ${className}`}
    >
      <p id={id} className="text-sm wrap-anywhere text-soft">
        {children}
      </p>
      {share !== undefined && <Bar share={share} />}
    </div>
  );
}
