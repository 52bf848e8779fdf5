// The number of a request, as the way to its page in the request log for those who may read it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "./queries.ts";

export function RequestId({ id, className = "" }: { id: string; className?: string }) {
  // Also where it is not known yet who is here.
  const { data: me } = useQuery({ ...queries.me, enabled: false });
  const isReadable = me?.permissions.includes("usage:read") === true && id.startsWith("req_");
  const look = `font-mono text-sm wrap-anywhere ${className}`;
  if (!isReadable) return <span className={look}>{id}</span>;
  return (
    <Link to="/requests/$id" params={{ id }} className={`underline underline-offset-2 ${look}`}>
      {id}
    </Link>
  );
}

const numbers = /(req_[0-9a-z]+)/;

/** A text in which numbers of requests are ways to them. */
export const WithRequestIds = ({ text }: { text: string }) =>
  text.split(numbers).map((part, at) => (at % 2 === 1 ? <RequestId key={at} id={part} /> : part));
