// Only loopback: a network of its own where the machine can make one, else proxies that lead nowhere.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { toolEnv } from "../run.ts";

const loopbackOnly = ["--net", "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

/** Set for the run inside. */
const insideVariable = "PLINTH_CLIENTS_CLOSED";

export const isClosed = () => process.env[insideVariable] === "1";

const canClose = () => spawnSync("unshare", [...loopbackOnly, "true"]).status === 0;

/** Runs this program once more where no other address can be reached. Undefined where the machine cannot. */
export async function runClosed(args: readonly string[]): Promise<number | undefined> {
  if (isClosed() || !canClose()) return undefined;
  const child = spawn("unshare", [...loopbackOnly, process.execPath, ...args], {
    stdio: "inherit",
    env: toolEnv({ [insideVariable]: "1" }),
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

/** Port 9 on loopback is closed: what is not for loopback ends there. Node.js reads them only when it is told to. */
export const deadProxies: Readonly<Record<string, string>> = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  http_proxy: "http://127.0.0.1:9",
  https_proxy: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
  no_proxy: "127.0.0.1,localhost",
  NODE_USE_ENV_PROXY: "1",
};
