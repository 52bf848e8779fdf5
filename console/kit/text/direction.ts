// Characters that turn the direction of a text.
/** Bidirectional controls: to the eye, what follows stands elsewhere than it does for a model. */
export const turnsDirection = (text: string) => /[\u202a-\u202e\u2066-\u2069]/.test(text);

export const turningWords =
  "This text holds characters that turn the direction of what follows: it may read otherwise than it is.";
