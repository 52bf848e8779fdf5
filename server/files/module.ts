// The face of files.
export { kinds, schedules } from "./jobs.ts";
export { countLostFiles } from "./lost.ts";
export { openContent } from "./bytes/content.ts";
export { isTextType } from "./bytes/media-type.ts";
export { expectThere, namedFiles, readWholeFile } from "./requested-files.ts";
export { type FileRow, listToolFiles } from "./queries.ts";
export { routes } from "./routes.ts";
export { filesSection } from "./settings.ts";
export { storeToolFile } from "./tool-files.ts";
export { searchables } from "./found/queries.ts";
