import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { AppError } from "../../platform/app-error.ts";
import { MAX_DECK_BYTES } from "../file/read-deck-file.ts";

/** Compressed. A million rows take about 10 MB. */
const MAX_UPLOAD_BYTES = 64 * 1024 * 1024;

/**
 * Stores an uploaded file, compressed with gzip, as it arrives; only a few blocks of it are in memory.
 * @throws AppError body_too_large; validation_failed if it is not compressed or incomplete
 */
export async function receiveFile(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  try {
    await pipeline(body, atMost(MAX_UPLOAD_BYTES), createGunzip(), atMost(MAX_DECK_BYTES), createWriteStream(path));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("validation_failed", { reason: "operator.file_incomplete", cause: error });
  }
}

function atMost(maxBytes: number) {
  return async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new AppError("body_too_large");
      yield chunk;
    }
  };
}
