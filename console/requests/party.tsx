// Who asked, and where: a key, else a person or a service account, by the name, as the way to its page.
import type { LoggedRequest } from "../kit/server/api.ts";
import { ObjectLink } from "../kit/value/object-link.tsx";
import { useNames } from "../kit/value/names.ts";

type Caller = Pick<LoggedRequest, "credential_id" | "user_id">;

const isKey = (id: string) => id.startsWith("apikey_");

/** The id of what is named of a caller. */
const namedOf = ({ credential_id: credential, user_id: user }: Caller): string =>
  isKey(credential) || user === null ? credential : user;

export const nounOf = (id: string) =>
  isKey(id)
    ? "Key"
    : id.startsWith("user_")
      ? "Person"
      : id.startsWith("svac_")
        ? "Service account"
        : "Sign-in";

export function CallerName({ request }: { request: Caller }) {
  const nameOf = useNames();
  const id = namedOf(request);
  return (
    <span title={id} className="wrap-anywhere">
      <ObjectLink id={id}>{nameOf(id) ?? `${nounOf(id)} …${id.slice(-6)}`}</ObjectLink>
    </span>
  );
}

export function WorkspaceName({ id }: { id: string }) {
  const nameOf = useNames();
  return (
    <span title={id} className="wrap-anywhere">
      <ObjectLink id={id}>{nameOf(id) ?? `…${id.slice(-6)}`}</ObjectLink>
    </span>
  );
}
