// Files that events of clients name: what could not be read when its turn comes is refused.
import { invalid } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { expectThere, isTextType, namedFiles, type FileRow } from "../../files/module.ts";
import { expectReadable, type FileUse } from "../../messages/module.ts";
import type { ClientEventInput } from "./schema.ts";

interface NamedFile {
  id: string;
  expect: (file: FileRow | undefined) => void;
}

/** `field` is the list of the events. */
export async function expectFiles(
  context: Actor,
  on: Queryable,
  events: readonly ClientEventInput[],
  field: string,
): Promise<void> {
  const named = events.flatMap((event, index) => filesOf(context, event, `${field}.${index}`));
  if (named.length === 0) return;
  const ids = [...new Set(named.map(({ id }) => id))];
  const files = await namedFiles(context, ids, on);
  for (const { id, expect } of named) expect(files.get(id));
}

function filesOf(context: Actor, event: ClientEventInput, path: string): NamedFile[] {
  if (event.type === "user.define_outcome") {
    const { rubric } = event;
    if (rubric.type !== "file") return [];
    const at = `${path}.rubric.file_id`;
    return [
      { id: rubric.file_id, expect: (file) => expectRubric(context, rubric.file_id, file, at) },
    ];
  }
  if (!("content" in event)) return [];
  return (event.content ?? []).flatMap((block, index): NamedFile[] => {
    if (block.type !== "image" && block.type !== "document") return [];
    const { source, type } = block;
    if (source.type !== "file") return [];
    const at = [path, "content", index, "source", "file_id"];
    const use: FileUse = { id: source.file_id, as: type, path: at };
    return [{ id: use.id, expect: (file) => void expectReadable(context, use, file) }];
  });
}

function expectRubric(context: Actor, id: string, found: FileRow | undefined, path: string): void {
  const { mimeType } = expectThere(context, id, found);
  if (!isTextType(mimeType))
    throw invalid(`${path}: ${id} is of type ${mimeType}, and a rubric is text; upload it as one.`);
}
