// The pages on which a person grants a program access, or refuses: plain HTML, as the sign-in page is.
import { messageLine, plainPage, plainScript } from "../../identity/module.ts";

const prompt = `<section id="asked" class="said" hidden>
<p><strong id="client"></strong> asks to act in your name.</p>
<p class="hint" id="unverified" hidden>It calls itself so: no name of a program is checked. Look where it goes back to.</p>
<dl class="facts" id="facts"></dl>
<p>It could then:</p>
<ul id="scopes"></ul>
<p class="hint" id="refused" hidden></p>
<div class="field" id="workspace-field" hidden>
<label for="workspace">Workspace</label>
<select id="workspace" aria-describedby="workspace-hint"></select>
<p class="hint" id="workspace-hint">It works in this one alone.</p>
</div>
<p class="hint">Grant this only if you began it yourself just now.</p>
<div class="actions">
<button class="button" type="button" id="approve">Grant</button>
<button class="button button-quiet" type="button" id="deny">Refuse</button>
</div>
</section>`;

const problem = `<div class="actions" id="problem" hidden>
<button class="button button-quiet" type="button" id="back"></button>
</div>`;

const script = "/authorize/page.js";

export const devicePage = () =>
  plainPage({
    title: "Connect a program",
    script,
    body: `<h1>Connect a program</h1>
${messageLine}
<form id="device" method="post">
<div class="field">
<label for="user_code">Code that the program shows</label>
<input id="user_code" name="user_code" type="text" autocomplete="off" autocapitalize="characters"
 spellcheck="false" maxlength="40" required aria-describedby="user_code-hint">
<p class="hint" id="user_code-hint">Eight letters, such as BCDF-GHJK.</p>
</div>
<button class="button" type="submit">Go on</button>
</form>
${prompt}`,
  });

export const authorizePage = () =>
  plainPage({
    title: "Grant access",
    script,
    body: `<h1>Grant access</h1>
${messageLine}
${problem}
${prompt}`,
  });

export const pageScript = plainScript(new URL("./page.js", import.meta.url));
