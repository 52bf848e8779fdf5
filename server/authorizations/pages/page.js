// Asks the person: reads what a program wants, shows it, and sends the decision.

const asked = document.getElementById("asked");
const form = document.getElementById("device");
const isDevice = form !== null;
const path = isDevice ? "/console/api/device" : "/console/api/authorize";

const shownHash = location.hash;
const toSignIn = () => goToSignIn(shownHash);

/** What is wrong with the request: the program may be told, when the person says so. */
function showProblem({ client, message: words, returns_to: where, redirect_to: back }) {
  say(`${client} asked for what cannot be granted. ${words}`);
  const button = document.getElementById("back");
  button.textContent = `Go back to ${where}`;
  button.addEventListener("click", () => location.replace(back));
  document.getElementById("problem").hidden = false;
}

const workspace = document.getElementById("workspace");

/** Those that the person may work in, the default one first. */
async function offerWorkspaces() {
  const response = await fetch("/console/api/me");
  const { workspaces = [] } = response.ok ? await response.json() : {};
  workspace.replaceChildren(...workspaces.map(({ id, name }) => new Option(name, id)));
  document.getElementById("workspace-field").hidden = false;
}

async function show(what) {
  if (what.type === "authorization_problem") return showProblem(what);
  if (what.needs_workspace) await offerWorkspaces();
  document.getElementById("client").textContent = what.client;
  document.getElementById("unverified").hidden = what.is_verified;
  document
    .getElementById("facts")
    .replaceChildren(
      ...row("As", `${what.person}, ${what.organization}`),
      ...(what.needs_workspace ? [] : row("Workspace", what.workspace ?? "each that you may use")),
      ...(what.returns_to === null ? [] : row("Goes back to", what.returns_to)),
      ...row("Asked from", what.address),
      ...row("Asked at", new Date(what.at).toLocaleString()),
    );
  document.getElementById("scopes").replaceChildren(
    ...what.scopes.map(({ means }) => {
      const item = document.createElement("li");
      item.textContent = means;
      return item;
    }),
  );
  const refused = document.getElementById("refused");
  refused.hidden = what.refused.length === 0;
  refused.textContent = `Your role does not have: ${what.refused.join(", ")}.`;
  const nothing =
    what.scopes.length === 0 || (what.needs_workspace && workspace.options.length === 0);
  document.getElementById("approve").disabled = nothing;
  asked.hidden = false;
  document.getElementById(nothing ? "deny" : "approve").focus();
}

/** What a request may say; the rest is ignored (RFC 6749). */
const known = [
  "response_type",
  "client_id",
  "redirect_uri",
  "code_challenge",
  "code_challenge_method",
  "scope",
  "state",
  "resource",
  "workspace_id",
];

/** The request from the address, or the code that is typed. */
let input = {};

async function read() {
  say("");
  try {
    await show(await post(path, input, toSignIn));
    if (isDevice) form.hidden = true;
  } catch (error) {
    say(error.message);
  }
}

async function decide(how) {
  for (const button of asked.querySelectorAll("button")) button.disabled = true;
  say("");
  try {
    if (workspace.value !== "") input.workspace_id = workspace.value;
    const reply = await post(`${path}/${how}`, input, toSignIn);
    asked.hidden = true;
    // A program's own scheme opens it, and leaves this page where it is.
    if (reply.redirect_to !== undefined) {
      say("Go back to the program; this page can be closed.", false);
      return location.replace(reply.redirect_to);
    }
    say(
      reply.decision === "granted"
        ? "Granted. Go back to the program; this page can be closed."
        : "Refused. This page can be closed.",
      false,
    );
  } catch (error) {
    say(error.message);
    for (const button of asked.querySelectorAll("button")) button.disabled = false;
  }
}

document.getElementById("approve").addEventListener("click", () => void decide("approve"));
document.getElementById("deny").addEventListener("click", () => void decide("deny"));

if (isDevice) {
  const given = new URLSearchParams(location.hash.slice(1)).get("user_code") ?? "";
  history.replaceState(null, "", location.pathname);
  // Another link opened in this very tab changes no more than the fragment.
  addEventListener("hashchange", () => location.reload());
  form.user_code.value = given;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    input = { user_code: form.user_code.value };
    void read();
  });
  void expectSignIn();
} else {
  const given = new URLSearchParams(location.search);
  const names = known.filter((name) => given.has(name));
  input = Object.fromEntries(names.map((name) => [name, given.get(name)]));
  void read();
}

/** A person who is not signed in is sent to sign in before they type. */
async function expectSignIn() {
  const { status } = await fetch("/console/api/me");
  if (status === 401) toSignIn();
  else form.user_code.focus();
}
