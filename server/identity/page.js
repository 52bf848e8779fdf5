// Sends the set-up and sign-in forms, and says what went wrong beside them.

const message = document.getElementById("message");

function say(text, isError = true) {
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
  const reply = await response.json().catch(() => ({}));
  return {
    ok: response.ok,
    reply,
    error: reply.error ?? { message: `The server answered ${response.status}.` },
  };
}

/** Filled-in fields only: an empty optional field is one that was not given. */
function valuesOf(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
}

async function send(form, path, extra, onError) {
  const button = form.querySelector("button");
  button.disabled = true;
  say("");
  try {
    const { ok, error } = await post(path, { ...valuesOf(form), ...extra });
    if (ok) return goOn();
    say(error.message);
    onError?.(error);
  } catch {
    say("The server cannot be reached. Is it running?");
  } finally {
    button.disabled = false;
  }
}

/** Only to a page of our own: another site's address in the link must not take the visitor along. */
function goOn() {
  const next = new URLSearchParams(location.search).get("next") ?? "";
  const target = URL.canParse(next, location.origin) ? new URL(next, location.origin) : null;
  const pages = /^\/(console\/|device$|authorize$)/;
  const ours = target?.origin === location.origin && pages.test(target.pathname);
  location.replace(ours ? target.href : "/console/");
}

const signIn = document.getElementById("sign-in");
signIn?.addEventListener("submit", (event) => {
  event.preventDefault();
  // For whoever is in more organizations than are tried: the address may name one.
  const named = new URLSearchParams(location.search).get("organization_id");
  const extra = named === null ? {} : { organization_id: named };
  void send(signIn, "/console/api/sign_in", extra, offerOrganizations);
});

function offerOrganizations(error) {
  const organizations = error.details?.organizations ?? [];
  if (organizations.length === 0) return;
  const select = document.getElementById("organization_id");
  select.replaceChildren(...organizations.map(({ id, name }) => new Option(name, id)));
  document.getElementById("organization-field").hidden = false;
  select.focus();
}

const setup = document.getElementById("setup");
if (setup !== null) {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  // The token goes from the address bar and the history as soon as it has been read.
  history.replaceState(null, "", location.pathname);
  setup.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(setup, "/console/api/setup", { token });
  });
  void prepare(token);
}

async function prepare(token) {
  const { ok, reply, error } = await post("/console/api/setup_link", { token });
  if (!ok) {
    say(error.message);
    setup.hidden = true;
    return;
  }
  document.getElementById("for").hidden = false;
  setup.organization_name.value = reply.organization_name;
  if (reply.email !== null) {
    // Its name is not this link's to change.
    setup.organization_name.disabled = true;
    setup.organization_name.closest(".field").hidden = true;
    setup.email.value = reply.email;
    setup.email.readOnly = true;
    document.getElementById("for").textContent =
      `You set the password of an owner of ${reply.organization_name}.`;
  }
}

// A browser keeps a Secure cookie on loopback and over HTTPS only; say so before the form fails in silence.
if (!globalThis.isSecureContext)
  say(
    "The console needs HTTPS, or http://127.0.0.1 on the server's own machine: browsers refuse its cookie here.",
  );
