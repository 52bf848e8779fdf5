// What is told of a repository that could not be cloned: by its beginning the console knows of which one it is.
import type { RepositoryRow } from "./queries.ts";

/** Why comes behind it. */
export const beginningOf = ({ url, mount_path: place }: RepositoryRow["shown"]): string =>
  `The repository ${url} could not be cloned to ${place}: `;
