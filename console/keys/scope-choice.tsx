// What an admin key of an enterprise organization may do.
import type { Scope } from "../kit/server/api.ts";

const scopeWords: [Scope, string][] = [
  ["read:members", "Read members, invites and custom roles"],
  ["write:members", "Change and remove members, send invites"],
  ["read:rbac_groups", "Read groups and who is in them"],
  ["write:rbac_groups", "Change groups and who is in them"],
  ["read:org_audit", "Read everything of this interface, and the audit"],
  [
    "read:analytics",
    "No more than the name of the organization yet: reports over the API are for platform organizations",
  ],
];

export function ScopeChoice({
  scopes,
  onChange,
  error,
}: {
  scopes: Scope[];
  onChange: (scopes: Scope[]) => void;
  error: string | undefined;
}) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">Scopes</legend>
      <div className="grid gap-1">
        {scopeWords.map(([scope, words]) => (
          <label key={scope} className="flex cursor-pointer items-baseline gap-2.5 py-0.5">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) =>
                onChange(
                  event.target.checked
                    ? [...scopes, scope]
                    : scopes.filter((other) => other !== scope),
                )
              }
              className="accent-accent"
            />
            <span>
              <span className="font-mono text-sm">{scope}</span>
              <span className="block text-sm text-soft">{words}</span>
            </span>
          </label>
        ))}
      </div>
      {error !== undefined && (
        <p role="alert" className="mt-1 text-sm text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}
