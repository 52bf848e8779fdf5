/** Hints on it name a session that has something to do. */
export const sessionsChannel = "sessions";
/** Hints on it name a session whose sandbox is wanted by another process, or no longer needed. */
export const sandboxesChannel = "sandboxes";
