// What a test of an upstream found.
import { CircleCheck, TriangleAlert } from "lucide-react";
import type { TestedUpstream } from "../../kit/server/api.ts";
import { Badge } from "../../kit/value/badge.tsx";

export function TestFound({ found }: { found: TestedUpstream }) {
  const { works, models, detail } = found;
  const Icon = works ? CircleCheck : TriangleAlert;
  return (
    <div
      role="status"
      className={`grid gap-2 rounded-lg p-3 ${works ? "bg-good-soft text-good" : "bg-bad-soft text-bad"}`}
    >
      <p className="flex items-start gap-2.5">
        <Icon size={18} aria-hidden className="mt-0.5 shrink-0" />
        <span className="min-w-0 wrap-anywhere">{detail}</span>
      </p>
      {models.length > 0 && (
        <p className="flex flex-wrap gap-1.5">
          {models.slice(0, 20).map((model) => (
            <Badge key={model}>{model}</Badge>
          ))}
          {models.length > 20 && <span>and {models.length - 20} more</span>}
        </p>
      )}
    </div>
  );
}
