// What the server finds of the words in the palette: objects, each with the way to its page.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { SearchCheck, type LucideIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { parseSearch, type Search } from "../../kit/page/search.ts";
import { api, type FoundObject, type Me } from "../../kit/server/api.ts";
import { pages } from "../../pages.tsx";

const shownMax = 20;
const lettersMin = 2;
/** The server is asked once the typing has paused. */
const pauseMs = 150;

/** A line of the palette that leads to an object. */
export interface Hit {
  id: string;
  label: string;
  /** What tells it from others of its name, and where it is. */
  detail: string;
  /** The title of the page where its like are listed. */
  group: string;
  icon: LucideIcon;
  run: () => void;
}

export interface FoundObjects {
  hits: readonly Hit[];
  /** There are more than those. */
  hasMore: boolean;
  /** The server was not asked yet, or has not answered. */
  isLooking: boolean;
  error: Error | null;
  retry: () => void;
}

export function useFoundObjects(me: Me, words: string): FoundObjects {
  const typed = words.trim();
  const asked = usePaused(typed);
  const navigate = useNavigate();
  const isAsking = typed.length >= lettersMin;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["objects", asked],
    queryFn: ({ signal }) => api.objects.list({ query: { query: asked, limit: shownMax }, signal }),
    enabled: isAsking && asked.length >= lettersMin,
    placeholderData: (before) => before,
    staleTime: 0,
  });
  const found = isAsking ? (data?.data ?? []) : [];
  const isEven = asked === typed;
  // Until the answer is there, those of the answer before are shown that the words still mean.
  const meant = isEven && !isFetching ? found : found.filter((each) => isMeant(each, typed));
  const go = (to: string, search: Search) => void navigate({ to, search });
  return {
    hits: meant.map((each) => toHit(me, each, go)),
    hasMore: isAsking && data?.next_page != null,
    isLooking: isAsking && (!isEven || isFetching),
    error: isAsking && isEven && !isFetching ? error : null,
    retry: () => void refetch(),
  };
}

function usePaused(typed: string): string {
  const [asked, setAsked] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return asked;
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** As the server understands words; an id is found whole. */
function isMeant({ id, name, detail }: FoundObject, typed: string): boolean {
  if (id === typed) return true;
  const known = wordsIn(`${name ?? ""} ${detail ?? ""}`);
  return wordsIn(typed).every((word) => known.some((each) => each.startsWith(word)));
}

function toHit(
  me: Me,
  { type, id, name, detail, workspace_id, console_url }: FoundObject,
  go: (to: string, search: Search) => void,
): Hit {
  const { pathname, search } = new URL(console_url);
  const to = pathname.slice(pathname.indexOf("/console/") + "/console".length);
  const asked = parseSearch(search);
  const isOnly = me.workspaces.length < 2;
  // Where there is only one, no address needs to name it.
  const { workspace: _, ...elsewhere } = asked;
  const page = pages.find(({ path }) => path === to || to.startsWith(`${path}/`));
  const workspace = me.workspaces.find((one) => one.id === workspace_id)?.name;
  const place = isOnly || type === "workspace" ? undefined : workspace;
  return {
    id: `object:${type}:${id}`,
    label: name ?? id,
    detail: [detail, place].filter((part) => part != null).join(" · "),
    group: page?.title ?? "Objects",
    icon: page?.icon ?? SearchCheck,
    run: () => go(to, isOnly ? elsewhere : asked),
  };
}
