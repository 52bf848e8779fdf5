// The set-up and sign-in pages: plain HTML and one small script, so that they work without the console's bundle.
import Type from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { formField, messageLine, plainPage, plainScript } from "./plain-page.ts";
import { limits } from "./limits.ts";

export const SignInQuery = closed({
  next: Type.Optional(Type.String({ maxLength: 4000 })),
  organization_id: Type.Optional(Type.String({ maxLength: 100 })),
});

const formScript = "/sign-in/page.js";

export const signInPage = () =>
  plainPage({
    title: "Sign in",
    script: formScript,
    body: `<h1 id="title">Sign in</h1>
${messageLine}
<p id="provider" hidden><a class="button button-wide"></a></p>
<button class="button button-wide" type="button" id="second-step" hidden>Use your passkey</button>
<details id="local" open>
<summary hidden>Use a password or passkey instead</summary>
<form id="sign-in" method="post">
${formField({ name: "email", label: "E-mail", type: "email", autocomplete: "username" })}
${formField({ name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
<div class="field" id="organization-field" hidden>
<label for="organization_id">Organization</label>
<select id="organization_id" name="organization_id"></select>
</div>
<button class="button" type="submit">Sign in</button>
</form>
<div class="ways" id="ways">
<button class="button button-quiet" type="button" id="passkey" hidden>Use a passkey</button>
<button class="button button-quiet" type="button" id="single-sign-on">Single sign-on</button>
</div>
</details>
<p class="hint">No password yet? The operator of this server can print a set-up link: <code>./plinth setup-link</code></p>`,
  });

export const setupPage = () =>
  plainPage({
    title: "Set up",
    script: formScript,
    body: `<h1>Set up your account</h1>
<p class="hint" id="for" hidden>You become the owner of this server's first organization.</p>
${messageLine}
<div id="without" class="said" hidden>
<p>A set-up link is needed here, which ends with its token: <code>/setup#token=…</code> It is printed when the server starts for the first time; opened again or reloaded, this page does not have it any more.</p>
<p>To get another one, run <code>./plinth setup-link</code> on the server's machine, or ask an owner to make one for you.</p>
<p class="hint">Have you set up your account already? <a href="/sign-in">Sign in</a></p>
</div>
<form id="setup" method="post" hidden>
${formField({ name: "organization_name", label: "Organization", type: "text", autocomplete: "organization", hint: "What your team is called. It can be changed later." })}
${formField({ name: "name", label: "Your name", type: "text", autocomplete: "name", required: false })}
${formField({ name: "email", label: "E-mail", type: "email", autocomplete: "username", hint: "You sign in with it. Nothing is sent to it." })}
${formField({ name: "password", label: "Password", type: "password", autocomplete: "new-password", hint: `At least ${limits.passwordCharactersMin} characters.` })}
<button class="button" type="submit">Set up and sign in</button>
</form>`,
  });

export const script = plainScript(new URL("./page.js", import.meta.url));
