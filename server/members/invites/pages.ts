// The page that the link of an invite opens: plain HTML and one small script, like those of set-up and sign-in.
import { formField, messageLine, plainPage, plainScript } from "../../identity/module.ts";

export const acceptPage = () =>
  plainPage({
    title: "Accept the invite",
    script: "/accept/page.js",
    body: `<h1>Accept the invite</h1>
<p class="hint" id="for" hidden></p>
${messageLine}
<form id="accept" method="post" hidden>
${formField({ name: "email", label: "E-mail", type: "email", autocomplete: "username", hint: "You sign in with it." })}
${formField({ name: "name", label: "Your name", type: "text", autocomplete: "name", hint: "What the others see." })}
${formField({ name: "password", label: "Password", type: "password", autocomplete: "new-password", hint: "At least 12 characters." })}
<button class="button" type="submit">Join and sign in</button>
</form>
<p class="hint"><a href="/sign-in">Sign in</a> instead, if you are a member already.</p>`,
  });

export const acceptScript = plainScript(new URL("./accept-page.js", import.meta.url));
