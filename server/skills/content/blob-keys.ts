// Where the archives of skills lie.

export const blobPrefix = "skills/";

/** By the last letters of the id, which are random: no folder grows too long to be read. */
export const blobKey = (organizationId: string, blobId: string): string =>
  `${blobPrefix}${organizationId}/${blobId.slice(-2)}/${blobId}`;

export const blobIdIn = (key: string): string => key.slice(key.lastIndexOf("/") + 1);
