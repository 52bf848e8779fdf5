// The face of memory stores.
import { kinds as ownKinds, schedules as ownSchedules } from "./jobs.ts";
import { sweepImports } from "./import/jobs.ts";

export { limits as memoryLimits } from "./limits.ts";
export { memoryWritesPart } from "./memories/group-writer.ts";
export {
  findEarlier,
  findOwn,
  listMounted,
  markOf,
  type MountedMemory,
  type MountedStore,
  pathProblem,
  textsOf,
  writeMounted,
} from "./mounted/mounted.ts";
export { findStore } from "./stores/queries.ts";
export { folderOf } from "./transfer/export.ts";
export { memoryReadsPart } from "./memories/service.ts";
export { routes } from "./routes.ts";
export { memorySection } from "./settings.ts";
export const kinds = [...ownKinds, sweepImports.kind];
export const schedules = [...ownSchedules, sweepImports.schedule];
export { searchables } from "./found/queries.ts";
