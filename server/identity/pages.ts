// The set-up and sign-in pages: plain HTML and one small script, so that they work whatever becomes of the console.
import { readFileSync } from "node:fs";
import Type from "typebox";
import { page, text } from "../../kernel/http/reply.ts";
import { closed } from "../../kernel/http/route.ts";
import { limits } from "./schema.ts";

export const SignInQuery = closed({
  next: Type.Optional(Type.String({ maxLength: 2000 })),
  organization_id: Type.Optional(Type.String({ maxLength: 100 })),
});

const headers = {
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

const mark = `<svg class="mark" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true">
  <path fill="currentColor" d="M5 3h14v3H5zM7 7h10v9H7zM5 17h14v2H5zM3 20h18v2H3z"/></svg>`;

const layout = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Plinth</title>
<link rel="stylesheet" href="/console/pages.css">
<script type="module" src="/sign-in/page.js"></script>
</head>
<body>
<main class="card">
<div class="brand">${mark}<span>Plinth</span></div>
${body}
<noscript><p class="message message-error">This page needs JavaScript to send the form.</p></noscript>
</main>
</body>
</html>
`;

interface Field {
  name: string;
  label: string;
  type: string;
  autocomplete: string;
  hint?: string;
  required?: boolean;
}

const field = ({
  name,
  label,
  type,
  autocomplete,
  hint,
  required = true,
}: Field) => `<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${required ? " required" : ""}${
  type === "password" && autocomplete === "new-password"
    ? ` minlength="${limits.passwordCharactersMin}" maxlength="${limits.passwordCharactersMax}"`
    : ""
}${hint === undefined ? "" : ` aria-describedby="${name}-hint"`}>
${hint === undefined ? "" : `<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;

const message = `<p class="message" role="status" aria-live="polite" id="message" hidden></p>`;

const signInForm = layout(
  "Sign in",
  `<h1>Sign in</h1>
${message}
<form id="sign-in" method="post">
${field({ name: "email", label: "E-mail", type: "email", autocomplete: "username" })}
${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
<div class="field" id="organization-field" hidden>
<label for="organization_id">Organization</label>
<select id="organization_id" name="organization_id"></select>
</div>
<button class="button" type="submit">Sign in</button>
</form>
<p class="hint">No password yet? The operator of this server can print a set-up link: <code>./plinth setup-link</code></p>`,
);

const setupForm = layout(
  "Set up",
  `<h1>Set up your account</h1>
<p class="hint" id="for" hidden>You become the owner of this server's first organization.</p>
${message}
<form id="setup" method="post">
${field({ name: "organization_name", label: "Organization", type: "text", autocomplete: "organization", hint: "What your team is called. It can be changed later." })}
${field({ name: "name", label: "Your name", type: "text", autocomplete: "name", required: false })}
${field({ name: "email", label: "E-mail", type: "email", autocomplete: "username", hint: "You sign in with it. Nothing is sent to it." })}
${field({ name: "password", label: "Password", type: "password", autocomplete: "new-password", hint: `At least ${limits.passwordCharactersMin} characters.` })}
<button class="button" type="submit">Set up and sign in</button>
</form>`,
);

const source = readFileSync(new URL("./page.js", import.meta.url), "utf8");

export const signInPage = () => page(signInForm, headers);
export const setupPage = () => page(setupForm, headers);
export const script = () =>
  text(source, "text/javascript; charset=utf-8", { "cache-control": "no-cache" });
