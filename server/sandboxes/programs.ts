// The programs that the server brings into every sandbox.
import { rgPath } from "@vscode/ripgrep";

/** Where they stand inside. */
export const programsPlace = "/opt/plinth";
export const searchProgram = `${programsPlace}/rg`;

/** On the host, by their names inside. */
export const programs: Readonly<Record<string, string>> = { rg: rgPath };
