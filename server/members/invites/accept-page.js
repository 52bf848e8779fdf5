// Says what the invite is for, and accepts it.

const form = document.getElementById("accept");
const about = document.getElementById("for");

const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
// The token goes from the address bar and the history as soon as it has been read.
history.replaceState(null, "", location.pathname);
// Another link opened in this very tab changes no more than the fragment.
addEventListener("hashchange", () => location.reload());

const trouble = (error) =>
  error instanceof TypeError ? "The server cannot be reached. Is it running?" : error.message;

async function prepare() {
  if (token === "") return say("The link is not whole: open the one that you were given again.");
  try {
    const invite = await post("/console/api/invite_link", { token });
    const by =
      invite.invited_by_name === null ? "You are invited" : `${invite.invited_by_name} invites you`;
    const until = new Date(invite.expires_at).toLocaleDateString(undefined, { dateStyle: "long" });
    about.textContent = `${by} to join ${invite.organization_name}. The invite is good until ${until}.`;
    about.hidden = false;
    form.email.value = invite.email;
    form.email.readOnly = true;
    form.hidden = false;
    form.elements.namedItem("name").focus();
  } catch (error) {
    say(trouble(error));
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  say("");
  try {
    const name = form.elements.namedItem("name").value;
    await post("/console/api/accept_invite", { token, name, password: form.password.value });
    location.replace("/console/");
  } catch (error) {
    say(trouble(error));
  } finally {
    button.disabled = false;
  }
});

// A browser keeps a Secure cookie on loopback and over HTTPS only; say so before the form fails in silence.
if (globalThis.isSecureContext) void prepare();
else say("Open this page over HTTPS: browsers refuse the cookie of the sign-in here.");
