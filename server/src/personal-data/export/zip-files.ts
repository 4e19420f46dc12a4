import { Zip, ZipDeflate, ZipPassThrough } from "fflate";

/** One file of an archive. */
export interface ArchiveFile {
  readonly path: string;
  /** False for files that are already compressed. */
  readonly compress: boolean;
  readonly at: Date;
  readonly content: AsyncIterable<string | Uint8Array>;
}

const LEVEL = 6;

/** Streams a ZIP archive. Keeps only the current chunk in memory. */
export async function* zipFiles(files: AsyncIterable<ArchiveFile>): AsyncGenerator<Uint8Array, void, void> {
  const waiting: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error;
    waiting.push(piece);
  });
  for await (const { path, compress, at, content } of files) {
    const file = compress ? new ZipDeflate(path, { level: LEVEL }) : new ZipPassThrough(path);
    file.mtime = at;
    zip.add(file);
    for await (const piece of content) {
      file.push(typeof piece === "string" ? Buffer.from(piece) : piece);
      yield* waiting.splice(0);
    }
    file.push(new Uint8Array(0), true);
    yield* waiting.splice(0);
  }
  zip.end();
  yield* waiting.splice(0);
}
