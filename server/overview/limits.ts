// Limits of the overview.

export const limits = {
  /** Of each kind of thing; what is more is told as a number. */
  shownMax: 5,
  inviteEndsSoonMs: 2 * 24 * 60 * 60 * 1000,
  /** An upstream fails where so many attempts did, and one in so many. */
  failingFrom: 3,
  failingOneIn: 5,
  /** It is slow where its median is so much, or twice that of the hour before and a second more. */
  slowFirstMs: 10_000,
  slowerTimes: 2,
  slowerByMs: 1_000,
} as const;
