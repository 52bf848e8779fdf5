// A client with Apps, in a browser: the official bridge around the page of a tool. What it hears, it keeps.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const heard = { sizes: [], calls: [], initialized: 0 };
globalThis.heard = heard;

const post = async (path, body) => {
  const response = await fetch(path, { method: "POST", body: JSON.stringify(body) });
  return response.json();
};

globalThis.openApp = async ({ name, input, theme }) => {
  const { html } = await post("/page", {});
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = "border: 0; width: 100%; height: 560px";
  const bridge = new AppBridge(
    null,
    { name: "test host", version: "1" },
    { serverTools: {} },
    { hostContext: { theme, displayMode: "inline" } },
  );
  globalThis.bridge = bridge;
  const ready = new Promise((resolve) => {
    bridge.oninitialized = () => {
      heard.initialized += 1;
      resolve();
    };
  });
  bridge.onsizechange = (size) => heard.sizes.push(size);
  bridge.oncalltool = async (params) => {
    heard.calls.push(params);
    return post("/call", params);
  };
  document.body.append(frame);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await ready;
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(await post("/call", { name, arguments: input }));
};
