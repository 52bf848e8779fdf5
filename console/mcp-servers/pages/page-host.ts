// The console's side of MCP Apps: what the page of a tool may ask of it, and what it is told. All else is refused.

type Fields = Record<string, unknown>;

/** What a page asks of the person, or of its server in their name; each answers with a result or throws. */
export interface HostActs {
  callTool(name: string, input: Fields): Promise<Fields>;
  openLink(url: string): Promise<boolean>;
  showMessage(text: string): void;
  resize(height: number): void;
  /** It is shown no more, for this reason. */
  close(reason: string): void;
}

interface Hosted {
  html: string;
  tool: { name: string; description: string; input_schema: Fields };
  theme: "light" | "dark";
  input: Fields;
  result: Fields;
}

const limits = {
  messagesPerSecond: 100,
  messageCharactersMax: 4_000,
  urlCharactersMax: 2_048,
  heightMin: 40,
  heightMax: 900,
} as const;

const protocolVersion = "2026-01-26";
const errors = { unknown: -32_601, refused: -32_000 } as const;

export interface PageHost {
  wear(theme: "light" | "dark"): void;
  end(): void;
}

/** Listens to the window of the frame and to no other: its origin is opaque, and says nothing. */
export function hostPage(frame: HTMLIFrameElement, hosted: Hosted, acts: HostActs): PageHost {
  const tell = (message: Fields) => frame.contentWindow?.postMessage(message, "*");
  const send = (message: Fields) => tell({ jsonrpc: "2.0", ...message });
  const notify = (method: string, params: Fields) => send({ method, params });
  let isGiven = false;
  let isBegun = false;
  const isTooMuch = messageCount();

  function listen({ source, data }: MessageEvent<unknown>): void {
    if (source === null || source !== frame.contentWindow) return;
    if (isTooMuch()) {
      end();
      return acts.close("It sent too many messages.");
    }
    const message = fieldsOf(data);
    if (message["isReady"] === true && !isGiven) {
      isGiven = true;
      tell({ html: hosted.html });
      return;
    }
    const { jsonrpc, id, method } = message;
    if (jsonrpc !== "2.0" || typeof method !== "string") return;
    const params = fieldsOf(message["params"]);
    if (id === undefined) return hear(method, params);
    answer(method, params).then(
      (result) => send({ id, result }),
      (error: unknown) => send({ id, error: errorOf(error) }),
    );
  }

  function hear(method: string, params: Fields): void {
    if (method === "ui/notifications/initialized" && !isBegun) {
      isBegun = true;
      notify("ui/notifications/tool-input", { arguments: hosted.input });
      notify("ui/notifications/tool-result", hosted.result);
    }
    const height = params["height"];
    if (method === "ui/notifications/size-changed" && Number.isFinite(height))
      acts.resize(Math.min(limits.heightMax, Math.max(limits.heightMin, Number(height))));
  }

  async function answer(method: string, params: Fields): Promise<Fields> {
    switch (method) {
      case "ping":
        return {};
      case "ui/initialize":
        return welcome(hosted);
      case "ui/request-display-mode":
        return { mode: "inline" };
      case "tools/call":
        return acts.callTool(String(params["name"]), fieldsOf(params["arguments"]));
      case "ui/open-link":
        return { isError: !(await acts.openLink(goodLink(params["url"]))) };
      case "ui/message":
        acts.showMessage(textOf(params["content"]).slice(0, limits.messageCharactersMax));
        return {};
      default:
        throw new Refused(`The console does not take ${method.slice(0, 100)}.`, errors.unknown);
    }
  }

  function end(): void {
    window.removeEventListener("message", listen);
  }
  window.addEventListener("message", listen);
  return {
    wear: (theme) => {
      if (isBegun) notify("ui/notifications/host-context-changed", { theme });
    },
    end,
  };
}

/** Asked at each message. */
function messageCount(): () => boolean {
  const recent: number[] = [];
  return () => {
    const now = performance.now();
    recent.push(now);
    while (now - (recent[0] ?? now) > 1_000) recent.shift();
    return recent.length > limits.messagesPerSecond;
  };
}

const welcome = ({ tool, theme }: Hosted): Fields => ({
  protocolVersion,
  hostInfo: { name: "plinth-console", title: "Plinth", version: "1" },
  hostCapabilities: { openLinks: {}, serverTools: {}, message: { text: {} } },
  hostContext: {
    theme,
    displayMode: "inline",
    availableDisplayModes: ["inline"],
    containerDimensions: { maxHeight: limits.heightMax },
    locale: "en",
    platform: "web",
    toolInfo: {
      tool: { name: tool.name, description: tool.description, inputSchema: tool.input_schema },
    },
  },
});

/** What a page is told of why not. */
export class Refused extends Error {
  readonly code: number;

  constructor(message: string, code: number = errors.refused) {
    super(message);
    this.code = code;
  }
}

const errorOf = (error: unknown) =>
  error instanceof Refused
    ? { code: error.code, message: error.message }
    : { code: errors.refused, message: "It could not be done." };

function goodLink(url: unknown): string {
  const text = typeof url === "string" && url.length <= limits.urlCharactersMax ? url : "";
  const read = URL.parse(text);
  if (read?.protocol !== "https:" || read.username !== "" || read.password !== "")
    throw new Refused("Only addresses that begin with https:// are opened.");
  return read.href;
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const textOf = (content: unknown): string =>
  (Array.isArray(content) ? content : [content])
    .map((block) => fieldsOf(block)["text"])
    .filter((text) => typeof text === "string")
    .join("\n");
