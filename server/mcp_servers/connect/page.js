// Hands what the authorization server answered to this server, in the name of the person at the browser.

const message = document.getElementById("message");
const asked = document.getElementById("asked");
const given = new URLSearchParams(location.search);

function say(text, isError = false) {
  message.textContent = text;
  message.hidden = text === "";
  message.classList.toggle("message-error", isError);
  message.setAttribute("role", isError ? "alert" : "status");
}

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status === 401)
    location.replace(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  const reply = await response.json().catch(() => ({}));
  if (response.ok) return reply;
  throw new Error(reply.error?.message ?? `The server answered ${response.status}.`);
}

function row(term, words) {
  const name = document.createElement("dt");
  name.textContent = term;
  const value = document.createElement("dd");
  value.textContent = words;
  return [name, value];
}

const names = ["state", "code", "iss", "error", "error_description"];
const answer = Object.fromEntries(
  names.filter((name) => given.has(name)).map((name) => [name, given.get(name)]),
);

async function hand(body) {
  asked.hidden = true;
  try {
    await post("/console/api/mcp_connections/answer", body);
    say(
      body.code === undefined
        ? "Nothing was connected. Go back to where you began; this page can be closed."
        : "Done here. Go back to where you began: it says whether the server is connected. This page can be closed.",
    );
  } catch (error) {
    say(error.message, true);
  }
}

const refused = { state: answer.state, error: "access_denied", error_description: "refused here" };

async function begin() {
  if (answer.state === undefined)
    return say("The address of this page names no sign-in. Connect the MCP server again.", true);
  try {
    const prompt = await post("/console/api/mcp_connections", { state: answer.state });
    if (!prompt.asks || answer.code === undefined) return await hand(answer);
    const facts = { Server: prompt.server, Address: prompt.url, Workspace: prompt.workspace };
    document
      .getElementById("facts")
      .replaceChildren(
        ...Object.entries({ ...facts, Vault: prompt.vault }).flatMap(([term, words]) =>
          row(term, words),
        ),
      );
    asked.hidden = false;
    document.getElementById("no").focus();
  } catch (error) {
    say(error.message, true);
  }
}

document.getElementById("yes").addEventListener("click", () => void hand(answer));
document.getElementById("no").addEventListener("click", () => void hand(refused));
void begin();
