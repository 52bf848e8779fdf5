// Stands before the script of each plain page: words to the person, and questions to the server.
// oxlint-disable no-unused-vars -- they are used by what follows it

const message = document.getElementById("message");

function say(text, isError = true) {
  message.textContent = text;
  message.hidden = text === "";
  message.classList.toggle("message-error", isError);
  message.setAttribute("role", isError ? "alert" : "status");
}

/** What the server answers, also where that is an error. */
async function ask(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const reply = await response.json().catch(() => ({}));
  const { ok, status } = response;
  return { ok, status, reply, error: reply.error ?? { message: `The server answered ${status}.` } };
}

/** Throws the server's error in words. */
async function post(path, body, onSignedOut = () => {}) {
  const { ok, status, reply, error } = await ask(path, body);
  if (status === 401) onSignedOut();
  if (ok) return reply;
  throw new Error(error.message);
}

/** And then returns to this page. */
function goToSignIn(hash = "") {
  const here = location.pathname + location.search + hash;
  location.replace(`/sign-in?next=${encodeURIComponent(here)}`);
}

/** Of a list of facts. */
function row(term, words) {
  const name = document.createElement("dt");
  name.textContent = term;
  const value = document.createElement("dd");
  value.textContent = words;
  return [name, value];
}
