// An App made with the official class: shows what it is told, and asks its host for things.
import { App } from "@modelcontextprotocol/ext-apps";

const app = new App({ name: "seats", version: "1" }, {}, { autoResize: true });
const main = document.querySelector("main");

function line(text) {
  const made = document.createElement("p");
  made.textContent = text;
  main.append(made);
}

function button(name, act) {
  const made = document.createElement("button");
  made.textContent = name;
  made.addEventListener("click", () =>
    act().then(
      (result) => line(`${name}: ${JSON.stringify(result)}`),
      (error) => line(`${name} failed: ${error.message}`),
    ),
  );
  main.append(made);
}

const call = (name) => () => app.callServerTool({ name, arguments: { from: "page" } });
button("Look", call("look"));
button("Book", call("book"));
button("Hidden", call("hidden"));
button("Open", () => app.openLink({ url: "https://example.com/seats" }));
button("Say", () =>
  app.sendMessage({ role: "user", content: [{ type: "text", text: "<b>Two seats</b>" }] }),
);

app.ontoolinput = ({ arguments: input }) => line(`Input: ${JSON.stringify(input)}`);
app.ontoolresult = ({ structuredContent }) => line(`Result: ${JSON.stringify(structuredContent)}`);
app.onhostcontextchanged = ({ theme }) => line(`Theme now: ${theme}`);
await app.connect();
const { name } = app.getHostVersion();
line(`Host: ${name}, ${app.getHostContext().theme}`);
