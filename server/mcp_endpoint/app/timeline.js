// Draws the timeline of a session. What it knows comes from the client around it, as messages of MCP Apps.

const part = (id) => document.getElementById(id);
const message = part("message");
const refresh = part("refresh");

/** Answers that the client owes, by the id of the request. */
const open = new Map();
let requests = 0;
let sessionId;
let chosenId;

// The client's origin is not known here; what is sent holds nothing that the client did not give.
const send = (fields) => parent.postMessage({ jsonrpc: "2.0", ...fields }, "*");
const notify = (method, params = {}) => send({ method, params });

function request(method, params) {
  requests += 1;
  const id = requests;
  const answer = new Promise((resolve, reject) => open.set(id, { resolve, reject }));
  send({ id, method, params });
  return answer;
}

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params = {}, result, error } = data;
  if (method === undefined) {
    const waiting = open.get(id);
    open.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error.message));
  } else if (id !== undefined) answer(id, method);
  else hear(method, params);
});

/** What the client may ask of a page. */
function answer(id, method) {
  if (method === "ping" || method === "ui/resource-teardown") send({ id, result: {} });
  else send({ id, error: { code: -32601, message: `This page does not know ${method}.` } });
}

function hear(method, params) {
  if (method === "ui/notifications/tool-input") sessionId = params.arguments?.session_id;
  if (method === "ui/notifications/tool-result") show(params);
  if (method === "ui/notifications/tool-cancelled") say("The call was cancelled.");
  if (method === "ui/notifications/host-context-changed") wear(params);
}

/** The look of the client: its theme, and its own colours and typefaces where they have these names. */
function wear({ theme, styles }) {
  if (theme !== undefined) document.documentElement.dataset.theme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (name.startsWith("--font-")) document.documentElement.style.setProperty(name, value);
}

function say(text, isBad = false) {
  message.textContent = text;
  message.hidden = text === "";
  message.classList.toggle("bad", isBad);
}

async function begin() {
  const { hostContext = {}, hostCapabilities = {} } = await request("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "plinth-session-timeline", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline"] },
  });
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  wear({ theme: isDark ? "dark" : "light", ...hostContext });
  refresh.hidden = hostCapabilities.serverTools === undefined;
  notify("ui/notifications/initialized");
  new ResizeObserver(tellSize).observe(part("title").closest("main"));
}

let told = "";
function tellSize() {
  const { width, height } = document.querySelector("main").getBoundingClientRect();
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  if (told === JSON.stringify(size)) return;
  told = JSON.stringify(size);
  notify("ui/notifications/size-changed", size);
}

refresh.addEventListener("click", async () => {
  refresh.disabled = true;
  say("Reading the session again…");
  const params = { name: "show_session", arguments: { session_id: sessionId } };
  try {
    show(await request("tools/call", params));
  } catch (error) {
    say(error.message, true);
  }
  refresh.disabled = false;
});

function show({ structuredContent: found, content = [], isError }) {
  if (isError === true || found?.marks === undefined) {
    const text = content.map((block) => block.text ?? "").join("\n");
    return say(text === "" ? "The client gave nothing that can be drawn." : text, true);
  }
  const { session, waiting_for: waiting, marks, is_complete: isComplete } = found;
  sessionId = session.id;
  refresh.disabled = false;
  say(marks.length === 0 ? "Nothing has happened in it yet." : "");
  part("title").textContent = session.title ?? `Session of ${session.agent.name}`;
  setText(part("about"), aboutOf(session));
  part("waiting").hidden = waiting.length === 0;
  part("waiting").replaceChildren(
    ...waiting.map(({ title, text }) => element("li", `Waits for an answer: ${title} ${text}`)),
  );
  const cut = `The newest ${marks.length} are drawn; what came before is left out.`;
  setText(part("cut"), isComplete ? "" : cut);
  draw(marks);
  const chosen = marks.find(({ id }) => id === chosenId);
  part("details").hidden = chosen === undefined;
  if (chosen !== undefined) choose(chosen);
}

function aboutOf({ agent, status, stop_reason: reason, usage }) {
  const { input_tokens: input, output_tokens: output, list_cost: cost } = usage;
  const tokens = `${number(input)} tokens in, ${number(output)} out`;
  const state = reason === null ? status : `${status} (${reason})`;
  const money =
    Number(cost.amount) > 0 ? `, US$${(cost.amount / 100).toFixed(2)} at list price` : "";
  return `${agent.name}, ${state}. ${tokens}${money}.`;
}

const number = (value) => value.toLocaleString("en");

function setText(where, text) {
  where.textContent = text;
  where.hidden = text === "";
}

function element(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

const laneNames = {
  turns: "Turns",
  people: "People",
  agent: "Agent",
  tools: "Tools",
  model: "Model",
  session: "Session",
};

function draw(marks) {
  const scale = scaleOf(marks);
  const names = element("div");
  names.id = "names";
  const track = element("div");
  track.id = "track";
  track.style.width = `${scale.width}px`;
  for (const [lane, name] of Object.entries(laneNames)) {
    const inLane = marks.filter((mark) => mark.lane === lane);
    if (inLane.length === 0) continue;
    names.append(element("div", name));
    const row = element("div", "", "lane");
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", name);
    row.style.setProperty("--of-lane", `var(--${lane})`);
    row.append(...inLane.map((mark) => drawn(mark, scale)));
    track.append(row);
  }
  const scroll = element("div");
  scroll.id = "scroll";
  scroll.append(track);
  part("lanes").replaceChildren(names, scroll);
  part("lanes").hidden = marks.length === 0;
  scroll.scrollLeft = scroll.scrollWidth;
}

const inset = 8;
const pixelsPerStep = 14;
const pixelsPerRootSecond = 6;

/** Moments in their order, and long times drawn short: a session may wait for days. */
function scaleOf(marks) {
  const times = marks.flatMap(({ at, ended_at: end }) => [at, end].filter((time) => time !== null));
  const moments = [...new Set(times.map((time) => Date.parse(time)))].toSorted((a, b) => a - b);
  const places = new Map();
  let place = inset;
  for (const [index, moment] of moments.entries()) {
    const seconds = index === 0 ? 0 : (moment - moments[index - 1]) / 1000;
    if (index > 0) place += pixelsPerStep + pixelsPerRootSecond * Math.sqrt(seconds);
    places.set(moment, place);
  }
  const end = place + pixelsPerStep * 2;
  return {
    width: end + inset,
    /** What has no time yet stands at the end. */
    of: (time) => (time === null ? end : places.get(Date.parse(time))),
    end,
  };
}

function drawn(mark, scale) {
  const button = element("button", "", "mark");
  button.type = "button";
  button.dataset.id = mark.id;
  const from = scale.of(mark.at);
  const to = mark.is_open ? scale.end : scale.of(mark.ended_at ?? mark.at);
  button.style.left = `${from}px`;
  button.style.width = `${Math.max(10, to - from)}px`;
  button.classList.toggle("open", mark.is_open);
  button.classList.toggle("failed", mark.is_error);
  button.setAttribute("aria-pressed", "false");
  button.setAttribute("aria-label", `${mark.title}, ${factsOf(mark)}`);
  button.title = mark.title;
  button.addEventListener("click", () => {
    choose(mark);
    part("details").scrollIntoView({ block: "nearest" });
  });
  return button;
}

function choose(mark) {
  chosenId = mark.id;
  for (const each of document.querySelectorAll(".mark"))
    each.setAttribute("aria-pressed", String(each.dataset.id === mark.id));
  part("details-title").textContent = mark.title;
  part("details-about").textContent = factsOf(mark);
  setText(part("details-text"), mark.text);
  setText(part("details-result"), mark.result ?? "");
  part("details-result-title").hidden = (mark.result ?? "") === "";
  part("details-result-title").textContent = mark.is_error ? "Error" : "Result";
  part("details").hidden = false;
}

function factsOf({ at, ended_at: end, is_error: isError, is_open: isOpen, tokens }) {
  const facts = [at === null ? "waits to be taken" : new Date(at).toLocaleString()];
  if (at !== null && end !== null) facts.push(lasting(Date.parse(end) - Date.parse(at)));
  if (isOpen) facts.push("not ended");
  if (isError) facts.push("failed");
  if (tokens !== null)
    facts.push(`${number(tokens.input)} tokens in, ${number(tokens.output)} out`);
  if (tokens !== null && tokens.cache_read > 0)
    facts.push(`${number(tokens.cache_read)} read from the cache`);
  return facts.join(", ");
}

function lasting(ms) {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} minutes`;
  return `${Math.round(ms / 3_600_000)} hours`;
}

begin().catch((error) => say(error.message, true));

// A module: its names are its own.
// oxlint-disable-next-line unicorn/require-module-specifiers
export {};
