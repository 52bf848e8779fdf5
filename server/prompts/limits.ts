// Limits of prompts.

export const limits = {
  nameCharactersMax: 100,
  promptsPerWorkspace: 1_000,
  versionsPerPrompt: 500,
  /** As JSON. */
  requestBytesMax: 262_144,
  bodyBytesMax: 320 * 1024,
} as const;
