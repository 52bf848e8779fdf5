// The colour of a workspace, beside its name.

export function WorkspaceDot({ color, large = false }: { color: string; large?: boolean }) {
  return (
    <span
      aria-hidden
      className={`inline-block shrink-0 rounded-full border border-line ${large ? "size-4" : "size-3"}`}
      style={{ backgroundColor: color }}
    />
  );
}
