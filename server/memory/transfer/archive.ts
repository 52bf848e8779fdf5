// Writes a tar as it streams.
import { pack, type Pack } from "tar-stream";

export interface ArchivedFile {
  name: string;
  bytes: Buffer;
  at: Date;
}

/** The next file is asked for once the one before is on its way. */
export async function* packArchive(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Buffer> {
  const archive = pack();
  const filling = fill(archive, files);
  try {
    yield* archive as AsyncIterable<Buffer>;
  } finally {
    archive.destroy();
    await filling;
  }
}

async function fill(archive: Pack, files: AsyncIterable<ArchivedFile>): Promise<void> {
  try {
    for await (const { name, bytes, at } of files) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const entry = archive.entry({ name, mtime: at }, bytes, (error) =>
        error ? reject(error) : resolve(),
      );
      // When the reader goes away the entry emits the error too; without a listener that would end the process.
      entry.on("error", () => {});
      await promise;
    }
    archive.finalize();
  } catch (error) {
    archive.destroy(error as Error);
  }
}
