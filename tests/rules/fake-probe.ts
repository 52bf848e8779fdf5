// A provider of sandboxes that says what it holds, and makes none.
import type { World } from "../../kernel/context.ts";
import { guaranteeNames, type SandboxProvider } from "../../server/sandboxes/module.ts";
import { sandboxesPart } from "../../server/sessions/module.ts";

type Probe = Awaited<ReturnType<SandboxProvider["probe"]>>;
type Level = Probe["guarantees"]["disk"]["level"];

/** What is not named is enforced. */
export function fakeProbe(
  world: World,
  levels: Partial<Record<keyof Probe["guarantees"], Level>>,
): void {
  const guarantees = Object.fromEntries(
    guaranteeNames.map((name) => [
      name,
      { level: levels[name] ?? "enforced", reason: "So it is." },
    ]),
  ) as Probe["guarantees"];
  const never = () => Promise.reject(new Error("this provider makes no sandboxes"));
  sandboxesPart.of(world).use({
    name: "fake",
    probe: async () => ({ ok: true, reason: "Made of words.", guarantees }),
    layers: {
      newSandboxId: () => "layer",
      keep: never,
      sizeOf: async () => undefined,
      remove: never,
      list: async () => [],
    },
    ensure: never,
    fill: never,
    exec: never,
    stop: never,
    destroy: never,
    list: async () => [],
    close: async () => {},
  });
}
