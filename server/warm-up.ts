// Sends the server its own requests until its code is compiled: the first user is served like the thousandth.
import { Agent } from "undici";
import type { World } from "../kernel/context.ts";

/** V8 compiles a hot function after some hundred calls; 300 took 0.1 s here. */
const rounds = 300;
const atOnce = 10;

export async function warmUp({ logger }: World, url: string): Promise<void> {
  const agent = new Agent({ connections: atOnce });
  const ask = async () => {
    for (let round = 0; round < rounds / atOnce; round++) {
      const path = round % 2 === 0 ? "/healthz" : "/v1/organizations/me";
      const { body } = await agent.request({ origin: url, path, method: "GET" });
      await body.dump();
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, ask));
  } catch (error) {
    logger.warn({ error: String(error) }, "the warm-up did not finish");
  } finally {
    await agent.close();
  }
}
