import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { AppError } from "../../platform/app-error.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** More than the longest row needs. */
const MAX_LINE_BYTES = 1024 * 1024;
const REPLACEMENT = "\uFFFD";
/** Spreadsheets export text cells as `="336"`, which a CSV parser considers a broken quote. */
const TEXT_CELLS = /(?<=^|[,;\t|\r\n])=(?="[^"\r\n]+"(?:[,;\t|\r\n]|$))/g;

/**
 * Reads a UTF-8 file as chunks of whole lines, with any line endings.
 * @throws AppError validation_failed naming the first line that is not UTF-8 or contains replacement characters
 */
export async function* decodeLines(path: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN, -2)) + 1;
    rest = bytes.subarray(end);
    if (rest.length > MAX_LINE_BYTES) throw refused(`Line ${line} is longer than 1 MB.`);
    const text = decode(bytes.subarray(0, end), line);
    line += linesIn(text);
    yield text;
  }
  yield decode(rest, line);
}

function decode(bytes: Buffer, firstLine: number): string {
  const text = bytes.toString("utf8");
  if (isUtf8(bytes) && !text.includes(REPLACEMENT)) return text.replaceAll(TEXT_CELLS, "");
  const line = firstLine + linesIn(text.slice(0, text.indexOf(REPLACEMENT)));
  throw refused(`Line ${line} has letters that are not in UTF-8. Save the file as CSV (UTF-8).`);
}

function linesIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

function refused(message: string): AppError {
  return new AppError("validation_failed", { reason: "operator.refused", params: { text: message } });
}
