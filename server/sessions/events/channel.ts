/** Hints on it name a session that has something to do. */
export const sessionsChannel = "sessions";
