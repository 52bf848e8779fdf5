// The id in the address of a page of one thing, such as /batches/$id.
import { useParams } from "@tanstack/react-router";

export const useIdOfPage = (): string => (useParams({ strict: false }) as { id?: string }).id ?? "";
