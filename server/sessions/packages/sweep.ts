// Which layers of packages a machine does not keep.
import type { World } from "../../../kernel/context.ts";
import { sandboxSettingsOf } from "../../sandboxes/module.ts";
import { layerName, packagesOf } from "./managers.ts";
import { listOfHost, namedLists } from "./queries.ts";

/** Those that no environment names; then, while all take more than they may, those that were used least recently. */
export async function layersToRemove(world: World, hostId: string): Promise<string[]> {
  const layers = await listOfHost(world.db, hostId);
  if (layers.length === 0) return [];
  const named = new Set(
    (await namedLists(world.db)).flatMap((config) => {
      const packages = packagesOf(config);
      return packages === undefined ? [] : [layerName(world, packages)];
    }),
  );
  const { totalBytes } = sandboxSettingsOf(world).packages;
  let bytes = layers.reduce((sum, layer) => sum + layer.bytes, 0);
  return layers.flatMap((layer) => {
    const isTooMuch = bytes > totalBytes && layer.bytes > 0;
    if (!layer.isUnused || (named.has(layer.name) && !isTooMuch)) return [];
    bytes -= layer.bytes;
    return [layer.id];
  });
}
