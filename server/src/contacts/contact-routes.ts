import type { ReadQueryOf } from "@farline/contract/api/api.ts";
import { importQuery } from "@farline/contract/contacts.ts";
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { contactFileLimits, isContactFileName } from "@farline/domain/contacts/contact-file.ts";
import { customerOf, perCustomer, requireRecentSignIn, sessionOf } from "../accounts/accounts.ts";
import { presentedTicket } from "../platform/http/download-ticket.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit, sharedRateLimit } from "../platform/http/rate-limit.ts";
import { addContact, changeContact, removeContact, switchFavorite } from "./change-contacts.ts";
import { exportByTicket, exportContacts, issueExportTicket, type ContactDownload } from "./export-contacts.ts";
import { fileTooLarge, importContacts } from "./import-contacts.ts";
import { listContacts } from "./list-contacts.ts";
import { presentContact } from "./present-contact.ts";
import type { ServiceContext } from "../context.ts";
import { AppError } from "../platform/app-error.ts";

/** The file and the multipart overhead. */
const UPLOAD_LIMIT_BYTES = contactFileLimits.bytesWithPictures + 16 * 1024;

/** Reads and changes contacts. */
export function bookRoutes(app: App, ctx: ServiceContext): void {
  const onRequest = perCustomer(memoryRateLimit(ctx, "contact-changes"));

  serve(app, "GET /api/contacts", async (request) => listContacts(ctx, customerOf(request), request.query));

  serve(app, "POST /api/contacts", {
    onRequest,
    handler: async (request) => {
      const customer = customerOf(request);
      const contact = await addContact(ctx, customer, request.body);
      return { contact: presentContact(contact, customer, ctx.rates) };
    },
  });

  serve(app, "PUT /api/contacts/:id", {
    onRequest,
    handler: async (request) => {
      const customer = customerOf(request);
      const contact = await changeContact(ctx, customer, { id: request.params.id, input: request.body });
      return { contact: presentContact(contact, customer, ctx.rates) };
    },
  });

  serve(app, "DELETE /api/contacts/:id", {
    onRequest,
    handler: async (request) => {
      await removeContact(ctx, customerOf(request), request.params.id);
    },
  });

  serve(app, "POST /api/contacts/:id/favorite", {
    onRequest,
    handler: async (request) => {
      const customer = customerOf(request);
      const contact = await switchFavorite(ctx, customer, request.params.id);
      return { contact: presentContact(contact, customer, ctx.rates) };
    },
  });
}

/** The import. Authentication runs before the file is read. */
export function importRoute(app: App, ctx: ServiceContext): void {
  const imports = sharedRateLimit(ctx, "contact-imports");
  const previews = sharedRateLimit(ctx, "contact-previews");
  serve(app, "POST /api/contacts/import", {
    bodyLimit: UPLOAD_LIMIT_BYTES,
    errorHandler: (error) => {
      throw (error as { code?: string }).code === "FST_ERR_CTP_BODY_TOO_LARGE" ? fileTooLarge() : error;
    },
    onRequest: (request) => (isPreview(request.query) ? previews : imports).take(customerOf(request).id),
    handler: async (request) => {
      const { preview, country = null, charset = null, columns = null } = request.query;
      const bytes = await readUploadedFile(request.body, request.headers["content-type"]);
      return importContacts(ctx, customerOf(request), { bytes, choices: { charset, columns }, country, preview });
    },
  });
}

/** Whether an unvalidated query requests a preview. */
function isPreview(query: unknown): boolean {
  return importQuery.safeParse(query).data?.preview === true;
}

/** The download, with a single-use ticket, or with the session token as specified. */
export function exportRoutes(app: App, ctx: ServiceContext): void {
  const exports = sharedRateLimit(ctx, "contact-exports");

  serve(app, "POST /api/contacts/export-ticket", {
    onRequest: perCustomer(exports),
    handler: async (request) => {
      const customer = sessionOf(request);
      return issueExportTicket(ctx, customer, request.body.format);
    },
  });

  serve(app, "GET /api/contacts/export", async (request, reply) => {
    const download = await downloadFor(request, request.query);
    return reply
      .type(download.type)
      .header("content-disposition", `attachment; filename="${download.fileName}"`)
      .header("cache-control", "no-store")
      .header("referrer-policy", "no-referrer")
      .send(Readable.from(download.parts));
  });

  async function downloadFor(
    request: FastifyRequest,
    { ticket, token, format = "csv" }: ReadQueryOf<"GET /api/contacts/export">,
  ): Promise<ContactDownload> {
    const session = sessionIn(request, token);
    if (session === null) return exportByTicket(ctx, presentedTicket(request, ticket ?? token ?? ""));
    request.headers.authorization = session;
    const customer = await ctx.authenticate(request);
    requireRecentSignIn(ctx, customer);
    await exports.take(customer.id);
    return exportContacts(ctx, customer.id, { format, language: customer.language });
  }
}

/**
 * Authenticates a download without a ticket: by header, or by the session token in the URL. Cross-site pages must not
 * trigger the download of a leaked URL.
 */
function sessionIn(request: FastifyRequest, token: string | undefined): string | null {
  if (request.headers.authorization !== undefined) return request.headers.authorization;
  const from = request.headers["sec-fetch-site"];
  const own = from === undefined || from === "same-origin" || from === "none";
  return token?.startsWith("fl_") === true && own ? `Bearer ${token}` : null;
}

/**
 * The uploaded file (multipart/form-data, RFC 7578, field `file`).
 * @throws AppError validation_failed if there is none or its name has another file type; malformed_request
 */
async function readUploadedFile(body: Buffer, type = ""): Promise<Uint8Array> {
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
