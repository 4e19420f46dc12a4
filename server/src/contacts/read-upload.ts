import { contactFileLimits } from "@farline/domain/contacts/contact-limits.ts";
import { isContactFileName } from "@farline/domain/contacts/contact-file-name.ts";
import { AppError } from "../platform/app-error.ts";
import { fileTooLarge } from "./import-contacts.ts";

/** The file and the multipart overhead. */
export const UPLOAD_LIMIT_BYTES = contactFileLimits.bytesWithPictures + 16 * 1024;

/**
 * The uploaded file (multipart/form-data, RFC 7578, field `file`).
 * @throws AppError validation_failed if there is none or its name has another file type; malformed_request
 */
export async function readUploadedFile(body: Buffer, type = ""): Promise<Uint8Array> {
  const file = await fileOf(body, type);
  if (file === null) throw wrongFile("file_needed");
  if (!isContactFileName(file.name)) throw wrongFile("file_wrong_kind");
  if (file.size > contactFileLimits.bytesWithPictures) throw fileTooLarge();
  return file.bytes();
}

async function fileOf(body: Buffer, type: string): Promise<File | null> {
  if (body.length === 0) return null;
  try {
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
    const file = form.get("file");
    return file instanceof File ? file : null;
  } catch (error) {
    throw new AppError("malformed_request", { reason: "form_unreadable", cause: error });
  }
}

function wrongFile(reason: "file_needed" | "file_wrong_kind"): AppError {
  return new AppError("validation_failed", { reason, field: "file" });
}
