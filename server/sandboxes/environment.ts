// The environment variables of a sandbox, whatever makes it.
import { doorHost, doorPort } from "./limits.ts";

const doorAddress = `http://${doorHost}:${doorPort}`;
const doorless = "localhost,127.0.0.1,::1";

/** Programs agree on no spelling; Node.js asks for the last one before it heeds the others. */
const doorEnvironment = {
  HTTP_PROXY: doorAddress,
  HTTPS_PROXY: doorAddress,
  NO_PROXY: doorless,
  http_proxy: doorAddress,
  https_proxy: doorAddress,
  no_proxy: doorless,
  NODE_USE_ENV_PROXY: "1",
};

const usual = {
  HOME: "/home/agent",
  USER: "agent",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  TERM: "dumb",
};

export const environmentOf = (env: Readonly<Record<string, string>>, hasDoor: boolean): string[] =>
  Object.entries({ ...usual, ...(hasDoor && doorEnvironment), ...env }).map(
    ([name, value]) => `${name}=${value}`,
  );
