// The programs that the server brings into every sandbox.
import { rgPath } from "@vscode/ripgrep";

/** Where they stand inside. */
export const programsPlace = "/opt/plinth";
export const searchProgram = `${programsPlace}/rg`;

/** Where the root file system has its own. */
export const systemPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/** On the host, by their names inside. */
export const programs: Readonly<Record<string, string>> = { rg: rgPath };
