// What a call waits for whose environment names packages: how far they are, on the machines that install them.
import { useQuery } from "@tanstack/react-query";
import { environmentQueries, packageCount } from "../../environments/environments.ts";
import { layersOf } from "../../environments/packages/environment-packages.tsx";
import type { PackageLayer } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Time } from "../../kit/value/time.tsx";

/** Nothing where they are installed, or none are named. */
export function AwaitedPackages({ environment: id }: { environment: string }) {
  const { id: workspace } = useWorkspace();
  const { data: environment } = useQuery(environmentQueries.one(workspace, id));
  const config = environment?.config;
  if (config?.type !== "cloud" || packageCount(config) === 0) return null;
  return <Awaited environment={id} />;
}

/** Asked for again and again, as long as a call is under way. */
function Awaited({ environment }: { environment: string }) {
  const { id: workspace } = useWorkspace();
  const { data = [] } = useQuery(layersOf(workspace, environment));
  const layer = data.find(({ state }) => state === "building") ?? data.find(isWaiting);
  if (layer === undefined) return null;
  const { state, manager, words, began_at: began } = layer;
  return (
    <div role="status" className="text-sm text-soft">
      {state === "building" ? (
        <>
          The packages of its environment are being installed
          {began !== null && (
            <>
              {", since "}
              <Time at={began} />
            </>
          )}
          {words !== null && (
            <span className="block font-mono wrap-anywhere">
              {manager}: {words}
            </span>
          )}
        </>
      ) : (
        "The packages of its environment wait to be installed."
      )}
    </div>
  );
}

const isWaiting = ({ state }: PackageLayer): boolean => state === "waiting";
