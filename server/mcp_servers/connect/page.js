// Hands what the authorization server answered to this server, in the name of the person at the browser.

const asked = document.getElementById("asked");
const given = new URLSearchParams(location.search);

const names = ["state", "code", "iss", "error", "error_description"];
const answer = Object.fromEntries(
  names.filter((name) => given.has(name)).map((name) => [name, given.get(name)]),
);

async function hand(body) {
  asked.hidden = true;
  try {
    await post("/console/api/mcp_connections/answer", body, goToSignIn);
    say(
      body.code === undefined
        ? "Nothing was connected. Go back to where you began; this page can be closed."
        : "Done here. Go back to where you began: it says whether the server is connected. This page can be closed.",
      false,
    );
  } catch (error) {
    say(error.message);
  }
}

const refused = { state: answer.state, error: "access_denied", error_description: "refused here" };

async function begin() {
  if (answer.state === undefined)
    return say("The address of this page names no sign-in. Connect the MCP server again.");
  try {
    const prompt = await post("/console/api/mcp_connections", { state: answer.state }, goToSignIn);
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
    say(error.message);
  }
}

document.getElementById("yes").addEventListener("click", () => void hand(answer));
document.getElementById("no").addEventListener("click", () => void hand(refused));
void begin();
