// Sends the set-up and sign-in forms, and says what went wrong beside them.

/** Filled-in fields only: an empty optional field counts as absent. */
function valuesOf(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
}

async function send(form, path, extra, onError) {
  const button = form.querySelector("button");
  button.disabled = true;
  say("");
  try {
    const { ok, error } = await ask(path, { ...valuesOf(form), ...extra });
    if (ok) return goOn();
    say(error.message);
    onError?.(error);
  } catch {
    say("The server cannot be reached. Is it running?");
  } finally {
    button.disabled = false;
  }
}

/** Only to a page of this server: a link that names another site must not take the visitor along. */
function goOn() {
  const next = new URLSearchParams(location.search).get("next") ?? "";
  const target = URL.canParse(next, location.origin) ? new URL(next, location.origin) : null;
  const pages = /^\/(console\/|device$|authorize$|mcp-connected$)/;
  const ours = target?.origin === location.origin && pages.test(target.pathname);
  location.replace(ours ? target.href : "/console/");
}

const signIn = document.getElementById("sign-in");
signIn?.addEventListener("submit", (event) => {
  event.preventDefault();
  // For a person in more organizations than the server tries: the address may name one.
  const named = new URLSearchParams(location.search).get("organization_id");
  const extra = named === null ? {} : { organization_id: named };
  void send(signIn, "/console/api/sign_in", extra, (error) => {
    if (error.details?.error_code === "passkey_needed") askSecondStep(error.details.ticket);
    else if (error.details?.error_code === "single_sign_on_required")
      void offerProvider({ organization_id: error.details.organization_id });
    else offerOrganizations(error);
  });
});

function offerOrganizations(error) {
  const organizations = error.details?.organizations ?? [];
  if (organizations.length === 0) return;
  const select = document.getElementById("organization_id");
  select.replaceChildren(...organizations.map(({ id, name }) => new Option(name, id)));
  document.getElementById("organization-field").hidden = false;
  select.focus();
}

const byId = (id) => document.getElementById(id);
const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) =>
    sign.charCodeAt(0),
  );
const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Asks the browser for a passkey; returns its answer in the form that the server reads. */
async function askPasskey({ challenge, rpId, timeout, userVerification, allowCredentials = [] }) {
  const { id, rawId, type, response } = await navigator.credentials.get({
    publicKey: {
      challenge: toBytes(challenge),
      rpId,
      timeout,
      userVerification,
      allowCredentials: allowCredentials.map((each) => ({ ...each, id: toBytes(each.id) })),
    },
  });
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return {
    id,
    rawId: toText(rawId),
    type,
    response: {
      clientDataJSON: toText(clientDataJSON),
      authenticatorData: toText(authenticatorData),
      signature: toText(signature),
      userHandle: userHandle === null ? null : toText(userHandle),
    },
  };
}

/** A browser uses passkeys only under the name that they were made for. */
const isNameHere = (rpId) => location.hostname === rpId || location.hostname.endsWith(`.${rpId}`);

async function useAPasskey(button, ticket) {
  const extra = ticket === undefined ? {} : { ticket };
  button.disabled = true;
  say("");
  try {
    const asked = await ask("/console/api/passkey_sign_in_options", extra);
    if (!asked.ok) return say(asked.error.message);
    const { options } = asked.reply;
    if (!isNameHere(options.rpId))
      return say(
        `Passkeys work at the address with the name ${options.rpId} only: open the console there.`,
      );
    const credential = await askPasskey(options);
    const { ok, error } = await ask("/console/api/passkey_sign_in", { credential, ...extra });
    if (ok) return goOn();
    say(error.message);
  } catch (error) {
    // Also what a browser reports when the person has changed their mind.
    const isCancelled = error instanceof DOMException;
    say(
      isCancelled
        ? "No passkey was used. Try again, or choose another way in."
        : "The server cannot be reached. Is it running?",
    );
  } finally {
    button.disabled = false;
  }
}

function askSecondStep(ticket) {
  const button = byId("second-step");
  byId("local").hidden = true;
  button.hidden = false;
  button.addEventListener("click", () => void useAPasskey(button, ticket));
  button.focus();
  void useAPasskey(button, ticket);
}

/** The button to the provider comes first; other ways, for those who keep one, are folded away. */
async function offerProvider(question) {
  const { ok, reply, error } = await ask("/console/api/single_sign_on/find", question);
  if (!ok) return error;
  const next = new URLSearchParams(location.search).get("next");
  const href = next === null ? reply.url : `${reply.url}&next=${encodeURIComponent(next)}`;
  const link = byId("provider").querySelector("a");
  link.href = href;
  link.textContent = `Continue with ${reply.provider}`;
  byId("provider").hidden = false;
  byId("title").textContent = `Sign in to ${reply.organization_name}`;
  byId("single-sign-on").hidden = true;
  byId("local").open = !reply.required;
  byId("local").querySelector("summary").hidden = !reply.required;
  return href;
}

async function goToProvider(button) {
  const email = signIn.email.value.trim();
  if (email === "") {
    say("Give your e-mail: its domain leads to your organization's sign-in.");
    signIn.email.focus();
    return;
  }
  button.disabled = true;
  say("");
  try {
    const found = await offerProvider({ email });
    const isUnknown = found.type === "not_found_error";
    if (typeof found === "string") location.assign(found);
    else
      say(
        isUnknown
          ? "No organization here has single sign-on for that e-mail. Use its own sign-in address, or another way in."
          : found.message,
      );
  } catch {
    say("The server cannot be reached. Is it running?");
  } finally {
    button.disabled = false;
  }
}

if (signIn !== null) {
  const named = new URLSearchParams(location.search).get("organization_id");
  if (named !== null) offerProvider({ organization_id: named }).catch(() => {});
  const passkey = byId("passkey");
  passkey.hidden = globalThis.PublicKeyCredential === undefined;
  passkey.addEventListener("click", () => void useAPasskey(passkey));
  const singleSignOn = byId("single-sign-on");
  singleSignOn.addEventListener("click", () => void goToProvider(singleSignOn));
}

const setup = document.getElementById("setup");
if (setup !== null) {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  // The token goes from the address bar and the history as soon as it has been read.
  history.replaceState(null, "", location.pathname);
  // Another link opened in this very tab changes no more than the fragment.
  addEventListener("hashchange", () => location.reload());
  setup.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(setup, "/console/api/setup", { token });
  });
  if (token === "") byId("without").hidden = false;
  else prepare(token).catch(() => say("The server cannot be reached. Is it running?"));
}

/** The form is shown once the server has said whose link it is. */
async function prepare(token) {
  const { ok, reply, error } = await ask("/console/api/setup_link", { token });
  if (!ok) return say(error.message);
  document.getElementById("for").hidden = false;
  setup.organization_name.value = reply.organization_name;
  if (reply.email !== null) {
    // This link does not change the organization's name.
    setup.organization_name.disabled = true;
    setup.organization_name.closest(".field").hidden = true;
    setup.email.value = reply.email;
    setup.email.readOnly = true;
    document.getElementById("for").textContent =
      `You set your password at ${reply.organization_name}.`;
  }
  setup.hidden = false;
}

// A browser keeps a Secure cookie on loopback and over HTTPS only; say so before the form fails in silence.
if (!globalThis.isSecureContext)
  say(
    "The console needs HTTPS, or http://127.0.0.1 on the server's own machine: browsers refuse its cookie here.",
  );
