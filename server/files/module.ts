// The face of files.
export { kinds, schedules } from "./jobs.ts";
export { countLostFiles } from "./lost.ts";
export { isTextType } from "./media-type.ts";
export { expectThere, namedFiles, wholeOf } from "./named.ts";
export type { FileRow } from "./queries.ts";
export { routes } from "./routes.ts";
export { filesSection } from "./settings.ts";
export { storeToolFile } from "./tools.ts";
