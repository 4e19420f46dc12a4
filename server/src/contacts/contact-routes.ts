import {
  contactExportQuery,
  contactExportRequest,
  contactRequest,
  contactsQuery,
  importQuery,
  type ContactExportResponse,
  type ContactResponse,
  type ContactsResponse,
  type ImportResponse,
} from "@farline/contract/contacts.ts";
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { customerOf, perCustomer, requireRecentSignIn } from "../accounts/accounts.ts";
import { presentedTicket } from "../platform/http/download-ticket.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit, sharedRateLimit } from "../platform/http/rate-limit.ts";
import { addContact, changeContact, removeContact, switchFavorite } from "./change-contacts.ts";
import type { ContactDependencies } from "./contact-dependencies.ts";
import { exportByTicket, exportContacts, issueExportTicket, type ContactDownload } from "./export-contacts.ts";
import { fileTooLarge, importContacts } from "./import-contacts.ts";
import { listContacts } from "./list-contacts.ts";
import { presentContact } from "./present-contact.ts";
import { readUploadedFile, UPLOAD_LIMIT_BYTES } from "./read-upload.ts";

const HOUR_SECONDS = 60 * 60;
const limits = {
  changes: { name: "contact-changes", points: 60, perSeconds: 60 },
  imports: { name: "contact-imports", points: 6, perSeconds: HOUR_SECONDS },
  previews: { name: "contact-previews", points: 90, perSeconds: HOUR_SECONDS },
  exports: { name: "contact-exports", points: 10, perSeconds: HOUR_SECONDS },
} as const;
const contactParams = z.object({ id: z.string() });

/** The address book: reading and changing it. */
export function bookRoutes(app: App, deps: ContactDependencies): void {
  const changes = memoryRateLimit({ ...limits.changes, scale: deps.config.limitsScale });

  app.get(
    "/api/contacts",
    { config: { access: "customer" }, schema: { querystring: contactsQuery } },
    async (request): Promise<ContactsResponse> => listContacts(deps, customerOf(request), request.query),
  );

  app.post(
    "/api/contacts",
    { config: { access: "customer" }, onRequest: perCustomer(changes), schema: { body: contactRequest } },
    async (request, reply) => {
      const contact = await addContact(deps, customerOf(request), request.body);
      return reply.status(201).send({ contact: presentContact(contact, deps.rates) } satisfies ContactResponse);
    },
  );

  const changeSchema = { params: contactParams, body: contactRequest };
  app.put(
    "/api/contacts/:id",
    { config: { access: "customer" }, onRequest: perCustomer(changes), schema: changeSchema },
    async (request): Promise<ContactResponse> => {
      const change = { id: request.params.id, input: request.body };
      return { contact: presentContact(await changeContact(deps, customerOf(request), change), deps.rates) };
    },
  );

  app.delete(
    "/api/contacts/:id",
    { config: { access: "customer" }, onRequest: perCustomer(changes), schema: { params: contactParams } },
    async (request, reply) => {
      await removeContact(deps, customerOf(request), request.params.id);
      return reply.status(204).send();
    },
  );

  app.post(
    "/api/contacts/:id/favorite",
    { config: { access: "customer" }, onRequest: perCustomer(changes), schema: { params: contactParams } },
    async (request): Promise<ContactResponse> => {
      return { contact: presentContact(await switchFavorite(deps, customerOf(request), request.params.id), deps.rates) };
    },
  );
}

/** The import. Authentication runs before the file is read. */
export function importRoute(app: App, deps: ContactDependencies): void {
  const scale = deps.config.limitsScale;
  const imports = sharedRateLimit(deps.handle, { ...limits.imports, scale });
  const previews = sharedRateLimit(deps.handle, { ...limits.previews, scale });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "multipart/form-data",
      { parseAs: "buffer", bodyLimit: UPLOAD_LIMIT_BYTES },
      (_request: FastifyRequest, body: string | Buffer, done: (error: Error | null, body?: unknown) => void) => done(null, body),
    );
    scope.setErrorHandler((error) => {
      throw (error as { code?: string }).code === "FST_ERR_CTP_BODY_TOO_LARGE" ? fileTooLarge() : error;
    });
    scope.post(
      "/api/contacts/import",
      {
        config: { access: "customer" },
        schema: { querystring: importQuery },
        bodyLimit: UPLOAD_LIMIT_BYTES,
        onRequest: (request) => (isPreview(request.query) ? previews : imports).take(customerOf(request).id),
      },
      async (request): Promise<ImportResponse> => {
        const customer = customerOf(request);
        const { preview, country = null, charset = null, columns = null } = request.query as z.output<typeof importQuery>;
        const bytes = await readUploadedFile(request);
        return importContacts(deps, customer, { bytes, choices: { charset, columns }, country, preview });
      },
    );
  });
}

/** Whether a query that is not checked yet asks for a preview. */
function isPreview(query: unknown): boolean {
  return importQuery.safeParse(query).data?.preview === true;
}

/** The download, by a single-use ticket, or by the session's token as the specification has it. */
export function exportRoutes(app: App, deps: ContactDependencies): void {
  const exports = sharedRateLimit(deps.handle, { ...limits.exports, scale: deps.config.limitsScale });

  const ticketSchema = { body: contactExportRequest };
  app.post(
    "/api/contacts/export-ticket",
    { config: { access: "step-up" }, onRequest: perCustomer(exports), schema: ticketSchema },
    async (request): Promise<ContactExportResponse> => {
      const customer = customerOf(request);
      return issueExportTicket(deps, customer, request.body.format);
    },
  );

  app.get(
    "/api/contacts/export",
    { config: { access: "visitor" }, schema: { querystring: contactExportQuery } },
    async (request, reply) => {
      const download = await downloadFor(request, request.query);
      return reply
        .type(download.type)
        .header("content-disposition", `attachment; filename="${download.fileName}"`)
        .header("cache-control", "no-store")
        .header("referrer-policy", "no-referrer")
        .send(Readable.from(download.parts));
    },
  );

  async function downloadFor(
    request: FastifyRequest,
    { ticket, token, format = "csv" }: z.output<typeof contactExportQuery>,
  ): Promise<ContactDownload> {
    const session = sessionIn(request, token);
    if (session === null) return exportByTicket(deps, presentedTicket(request, ticket ?? token ?? ""));
    request.headers.authorization = session;
    const customer = await deps.authenticate(request);
    requireRecentSignIn(deps, customer);
    await exports.take(customer.id);
    return exportContacts(deps, customer.id, format);
  }
}

/**
 * Authenticates a download without a ticket: the header, or the session's token in the URL. A foreign page must not make
 * a browser download a URL that it found.
 */
function sessionIn(request: FastifyRequest, token: string | undefined): string | null {
  if (request.headers.authorization !== undefined) return request.headers.authorization;
  const from = request.headers["sec-fetch-site"];
  const own = from === undefined || from === "same-origin" || from === "none";
  return token?.startsWith("fl_") === true && own ? `Bearer ${token}` : null;
}
