// The route of packages, for the console alone.
import { route } from "../../../kernel/http/route.ts";
import { EnvironmentParams } from "../../environments/module.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

export const routes = [
  route({
    operation: "console.environments.packages",
    method: "GET",
    path: "/console/api/environments/{environment_id}/packages",
    summary: "What became of the packages that an environment names, on each machine.",
    permission: "environments:use",
    credentials: ["console"],
    params: EnvironmentParams,
    reply: schema.PackageLayers,
    handle: (context, { params }) => service.listLayers(context, params.environment_id),
  }),
];
