// The page of a tool beside what it answered: in a frame that reaches nothing of the console, with what it asks for.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../kit/page/button.tsx";
import { useTheme } from "../../kit/page/theme.ts";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { McpServer } from "../../kit/server/api.ts";
import { mcpServerQueries, runTool, type Workspace } from "../mcp-servers.ts";
import type { Result } from "../tools/tool-result.tsx";
import type { ServerTool } from "../tools/tools.tsx";
import { hostPage, Refused, type PageHost } from "./page-host.ts";

type Fields = Record<string, unknown>;

export interface Shown {
  tool: ServerTool;
  tools: readonly ServerTool[];
  at: McpServer;
  workspace: Workspace;
  input: Fields;
  result: Pick<Result, "content" | "structured_content" | "is_error">;
}

export function ToolPage(shown: Shown) {
  const { at, workspace, tool } = shown;
  const { data, error } = useQuery(mcpServerQueries.page(workspace, at, tool.name));
  if (error !== null) return <TroubleBox error={error} />;
  if (data === undefined) return <p className="text-soft">Reading the tool’s page…</p>;
  if (data.html === null) return <p className="text-bad wrap-anywhere">{data.error}</p>;
  return <Framed {...shown} page={{ ...data, html: data.html }} />;
}

interface Declared {
  html: string;
  connects: readonly string[];
  loads: readonly string[];
}

/** A page that names this very server as one to reach gets nothing of it. */
const others = (origins: readonly string[]) =>
  origins.filter((origin) => new URL(origin.replace("*.", "")).host !== location.host).join(" ");

const frameOf = ({ connects, loads }: Declared) =>
  `/mcp-tool-page?${new URLSearchParams({ connects: others(connects), loads: others(loads) })}`;

/** Asked of the person, one thing at a time. */
interface Question {
  words: string;
  detail: string;
  answer: (isAllowed: boolean) => void;
}

function Framed(shown: Shown & { page: Declared }) {
  const { tool, at, page } = shown;
  const frame = useRef<HTMLIFrameElement>(null);
  const host = useRef<PageHost>(undefined);
  const theme = useShownTheme();
  const [height, setHeight] = useState(240);
  const [question, setQuestion] = useState<Question>();
  const [said, setSaid] = useState("");
  const [closed, setClosed] = useState<string>();
  const latest = useRef({ shown, theme });
  useEffect(() => {
    if (frame.current === null) return undefined;
    const { ask, leave } = askingWith(setQuestion);
    const { shown, theme } = latest.current;
    const { html } = shown.page;
    const { input, result, tool } = shown;
    const hosted = { html, tool, theme, input, result: resultForPage(result) };
    host.current = hostPage(frame.current, hosted, {
      callTool: callerOf(shown, ask),
      openLink: async (url) => {
        const isAllowed = await ask(`The page wants to open ${new URL(url).host}`, url);
        if (isAllowed) window.open(url, "_blank", "noopener,noreferrer");
        return isAllowed;
      },
      showMessage: setSaid,
      resize: setHeight,
      close: setClosed,
    });
    return () => {
      host.current?.end();
      leave();
    };
  }, []);
  useEffect(() => {
    host.current?.wear(theme);
  }, [theme]);
  if (closed !== undefined)
    return (
      <p className="text-bad">
        The page of {tool.name} was closed. {closed}
      </p>
    );
  return (
    <section aria-label={`Page of ${tool.name}`} className="grid gap-3">
      <p className="text-sm text-soft">What follows is made by {at.name}. Give it no secrets.</p>
      <iframe
        ref={frame}
        title={`Page of ${tool.name}`}
        src={frameOf(page)}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        className="w-full rounded-md border border-line"
        style={{ height }}
      />
      {question !== undefined && <Asked question={question} />}
      {said !== "" && (
        <div className="rounded-md bg-sunken p-3">
          <p className="text-sm text-soft">The page says:</p>
          <p className="whitespace-pre-wrap wrap-anywhere">{said}</p>
        </div>
      )}
    </section>
  );
}

function Asked({ question: { words, detail, answer } }: { question: Question }) {
  return (
    <div role="alert" className="grid gap-2 rounded-md bg-warn-soft p-3">
      <p className="font-medium text-warn wrap-anywhere">{words}</p>
      <p className="max-h-40 overflow-auto font-mono text-sm wrap-anywhere whitespace-pre-wrap">
        {detail}
      </p>
      <p className="flex gap-2">
        <Button onClick={() => answer(true)}>Allow</Button>
        <Button look="quiet" onClick={() => answer(false)}>
          Refuse
        </Button>
      </p>
    </div>
  );
}

type Ask = (words: string, detail: string) => Promise<boolean>;

/** While one question is open, another is refused: a page cannot bury the person in them. */
function askingWith(show: (question: Question | undefined) => void) {
  let open: ((isAllowed: boolean) => void) | undefined;
  const ask: Ask = (words, detail) => {
    if (open !== undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      open = (isAllowed) => {
        open = undefined;
        show(undefined);
        resolve(isAllowed);
      };
      show({ words, detail, answer: open });
    });
  };
  return { ask, leave: () => open?.(false) };
}

/** The first call is asked about, and each that does not say that it changes nothing. */
function callerOf({ at, tools, workspace }: Shown, ask: Ask) {
  let isKnown = false;
  return async (name: string, input: Fields): Promise<Fields> => {
    const tool = tools.find((each) => each.name === name);
    if (tool?.is_for_pages !== true)
      throw new Refused(`${at.name} has no tool ${name.slice(0, 100)} for its pages.`);
    const detail = JSON.stringify(input, null, 2);
    if (!isKnown || !tool.is_reading) {
      if (!(await ask(`The page wants to run ${name} of ${at.name}`, detail)))
        throw new Refused("The person refused it.");
    }
    isKnown = true;
    const result = await runTool(at, workspace, name, input);
    if (result.status === "connected") return resultForPage(result);
    throw new Refused(result.error ?? "The server did not answer.");
  };
}

/** In the shape of the protocol. */
const resultForPage = ({
  content,
  structured_content: structured,
  is_error: isError,
}: Shown["result"]) => ({
  content: content.map((each) =>
    each.type === "text"
      ? { type: "text", text: each.text }
      : { type: "image", data: each.source.data, mimeType: each.source.media_type },
  ),
  ...(structured !== null && { structuredContent: structured }),
  isError,
});

const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

function useShownTheme(): "light" | "dark" {
  const theme = useTheme();
  if (theme !== "system") return theme;
  return prefersDark.matches ? "dark" : "light";
}
