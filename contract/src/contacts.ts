import { MAX_NUMBER_TEXT_LENGTH } from "@farline/domain/numbers/number-text.ts";
import { reason, type Reason } from "@farline/texts/reason.ts";
import { numberRefusals } from "./api/error-codes.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { contactDetails, contactLengths, mapDetails, MAX_NUMBERS_PER_CONTACT } from "@farline/domain/contacts/contact-details.ts";
import {
  columnRoles,
  contactFileLimits,
  damageKinds,
  fileProblemKinds,
  phoneTypes,
  repairKinds,
} from "@farline/domain/contacts/contact-file.ts";
import { charsetLabels } from "@farline/domain/contacts/charset/charset-labels.ts";
import { cleanLine } from "@farline/domain/text/clean-text.ts";
import { readEmailAddress } from "@farline/domain/email-address.ts";
import { z } from "zod";
import { countryCode, id, instant, ratePerMinute } from "./values.ts";

const phoneType = z.enum(phoneTypes);
export type PhoneType = z.infer<typeof phoneType>;

/** One number of a contact, with the current price of a call. */
const contactNumber = z.object({
  /** E.164. */
  phone_number: z.string(),
  /** Dialled after the answer: digits, * and #, with a comma for each pause of 2 s. Empty without one. */
  extension: z.string(),
  phone_number_type: phoneType,
  country_code: countryCode,
  country_name: z.string(),
  /** Null when the number cannot be called. */
  rate_per_minute: ratePerMinute.nullable(),
  /** Billing increment in seconds, as in a quote; null when the number cannot be called. */
  first_interval_s: z.number().int().nullable(),
  next_interval_s: z.number().int().nullable(),
});
export type ContactNumber = z.infer<typeof contactNumber>;

/** The fields of the main number stand in the contact itself. */
const contact = contactNumber.extend({
  id,
  first_name: z.string(),
  last_name: z.string().nullable(),
  full_name: z.string(),
  ...mapDetails(() => z.string().nullable()),
  email: z.string().nullable(),
  notes: z.string().nullable(),
  favorite: z.boolean(),
  /** In the customer's order. */
  other_numbers: z.array(contactNumber),
  /** IANA time zone of the main number; null if it can be one of several. */
  time_zone: z.string().nullable(),
});
export type Contact = z.infer<typeof contact>;

const EMAIL_TEXT = reason("email_invalid");
export const contactEmail = z
  .string()
  .max(contactLengths.email, EMAIL_TEXT)
  .refine((typed) => readEmailAddress(typed) !== null, EMAIL_TEXT);

function text(max: number, tooLong: Reason) {
  return z.string().trim().max(max, reason(tooLong, { max }));
}

/** An optional text; empty and null both mean none. */
function optional<T extends z.ZodType<string>>(schema: T) {
  return z
    .union([z.literal(""), schema])
    .nullish()
    .transform((value) => (value === undefined || value === "" ? null : value));
}

const numberRequest = z.object({
  /** In any format, extension included: "+44 20 7946 0001 ext. 12". */
  phone_number: z
    .string({ error: reason("number_needed") })
    .trim()
    .min(1, reason("number_needed"))
    .max(MAX_NUMBER_TEXT_LENGTH, reason("number_invalid")),
  /** For a number typed without a country code. */
  country_code: countryCode.nullish(),
  /** Default: the type stored for this number, else `mobile`. */
  phone_number_type: phoneType.optional(),
});

/** `POST /api/contacts` */
export const contactRequest = numberRequest.extend({
  first_name: text(contactLengths.first_name, "first_name_too_long").overwrite(cleanLine).min(1, reason("first_name_needed")),
  last_name: optional(text(contactLengths.last_name, "last_name_too_long")),
  ...mapDetails((detail) => optional(text(contactDetails[detail].maxCharacters, "detail_too_long"))),
  email: optional(contactEmail),
  /** Default: none, or unchanged. */
  other_numbers: z
    .array(numberRequest)
    .max(MAX_NUMBERS_PER_CONTACT - 1, reason("contact_numbers_full", { max: MAX_NUMBERS_PER_CONTACT }))
    .optional(),
  notes: optional(text(contactLengths.notes, "notes_too_long")),
  /** Default: false, or unchanged. */
  favorite: z.boolean().optional(),
});
export type ContactRequest = z.input<typeof contactRequest>;

/**
 * `PUT /api/contacts/{id}`. `seen` is the contact as it was shown for the change: what equals it is left as it is stored now, because
 * another page may have changed it meanwhile. Default: everything is replaced. One that cannot be read must not prevent a change.
 */
export const contactChangeRequest = contactRequest.extend({ seen: contactRequest.optional().catch(undefined) });

const contactResponse = z.object({ contact });

/** Position in a list of names, opaque to the client. */
const contactCursor = z.string().max(800);

/** `GET /api/contacts`, by name. */
const contactsQuery = z.object({
  /** Every word must be in the name, the company, the address or the notes; digits match the number. */
  search: z
    .string()
    .trim()
    .max(100, reason("search_too_long", { max: 100 }))
    .optional(),
  favorites: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional(),
  cursor: contactCursor.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(48),
});
/** `total` is the number of contacts found. */
const contactsResponse = z.object({
  contacts: z.array(contact),
  next_cursor: contactCursor.nullable(),
  total: z.number().int(),
});
export type ContactsResponse = z.infer<typeof contactsResponse>;

/** Why a row is skipped. */
const skipReason = z.enum([
  "no_name",
  "no_number",
  /** A contact of this name already has this number. */
  "known",
  /** An earlier row has this name and number: `other_row`. */
  "repeated",
  /** No country code and no default country. */
  "country_required",
  /** The number is ambiguous: see `choices`. */
  "ambiguous",
  "invalid_number",
  /** Of a former plan of its country, from which today's number cannot be told. */
  "renumbered",
  /** Outside the known number ranges. */
  "unsure_number",
  /** The row names a country that is not known: `country`. */
  "country_unknown",
  /** The number belongs to another country than the row says: `country`. */
  "country_contradicts",
  ...damageKinds,
  "emergency",
  "short_code",
  /** The customer has reached the contact limit. */
  "list_full",
]);
export type SkipReason = z.infer<typeof skipReason>;

const importedRow = z.object({
  /** From 1: the table's row, header included, or the card. */
  row: z.number().int(),
  name: z.string(),
  /** The row's new numbers: E.164, with the extension. */
  phone_numbers: z.array(z.string()).min(1).max(MAX_NUMBERS_PER_CONTACT),
  /** Type of the first number. */
  country_code: countryCode,
  /** Whether the numbers are added to an existing contact of the same name. */
  merged: z.boolean(),
});
const skippedRow = z.object({
  row: z.number().int(),
  name: z.string(),
  /** As written in the file; empty when absent. */
  number: z.string(),
  reason: skipReason,
  other_row: z.number().int().nullable(),
  /** E.164: the candidates for an ambiguous number. */
  choices: z.array(z.string()),
  /** As written in the row's column of countries or dialling codes; else empty. */
  country: z.string(),
});
export type SkippedRow = z.infer<typeof skippedRow>;

/** A row, imported or skipped, whose values were repaired. */
const changedRow = z.object({
  row: z.number().int(),
  name: z.string(),
  repairs: z.array(z.enum(repairKinds)).min(1),
});
export type ChangedRow = z.infer<typeof changedRow>;

/** How the file was understood. The query's `charset` and `columns` correct it. */
const fileFacts = z.object({
  format: z.enum(["cards", "table"]),
  /** In a mixed file, the charset of the part that is not UTF-8. */
  charset: z.enum(charsetLabels),
  is_mixed: z.boolean(),
  /** Empty for cards. */
  columns: z.array(z.object({ head: z.string(), samples: z.array(z.string()), role: z.enum(columnRoles) })),
});

/**
 * Query of `POST /api/contacts/import` (multipart, field `file`). A preview returns what the import would do and changes
 * nothing. `country` is for numbers without a country code; `charset` and `columns` override detection.
 */
export const importQuery = z.object({
  preview: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .default(false),
  country: countryCode.optional(),
  charset: z.enum(charsetLabels).optional(),
  /** The role of each column in order, comma-separated. */
  columns: z
    .string()
    .max(contactFileLimits.columns * 16)
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(columnRoles)).max(contactFileLimits.columns))
    .optional(),
});

/** Maximum number of rows listed per kind; counts cover all rows. */
export const ROWS_LISTED = 100;

/**
 * `imported` counts contacts: new ones, and existing ones of the same name that gain a number. `skipped` counts numbers, and rows
 * without any. `changed` counts rows.
 */
const importResponse = z.object({
  /** Preview only: why the file cannot be read, and at which row. The import itself answers 422. */
  problem: z.object({ kind: z.enum(fileProblemKinds), row: z.number().int().nullable() }).nullable(),
  /** Null if the file is too large to parse. */
  file: fileFacts.nullable(),
  imported: z.number().int(),
  /** Those of `imported` that existed before. */
  merged: z.number().int(),
  skipped: z.number().int(),
  changed: z.number().int(),
  preview: z.boolean(),
  imported_rows: z.array(importedRow).max(ROWS_LISTED),
  skipped_rows: z.array(skippedRow).max(ROWS_LISTED),
  changed_rows: z.array(changedRow).max(ROWS_LISTED),
  /** Number skipped for each reason. */
  skipped_by_reason: z.partialRecord(skipReason, z.number().int()),
});
export type ImportResponse = z.infer<typeof importResponse>;

/** A `table` is for people, in the customer's language; `csv` has stable English headers for programs. */
export const exportFormat = z.enum(["table", "csv", "vcf"]);
export type ExportFormat = z.infer<typeof exportFormat>;

/** `POST /api/contacts/export-ticket`: permission to download the contacts once, within a minute. */
const contactExportRequest = z.object({ format: exportFormat.default("csv") });
const contactExportResponse = z.object({
  /** For `GET /api/contacts/export?ticket=`; single use. */
  ticket: z.string(),
  expires_at: instant,
});
export type ContactExportResponse = z.infer<typeof contactExportResponse>;

/** `token` takes a ticket too, or a session's token: required by the specification; the web app does not use it. */
const contactExportQuery = z.object({
  ticket: z.string().max(200).optional(),
  token: z.string().max(200).optional(),
  /** With a session token only; a ticket carries its own format. */
  format: exportFormat.optional(),
});

export const contactEndpoints = {
  "DELETE /api/contacts/:id": { access: "customer", refusals: ["not_found"] },
  "GET /api/contacts": { access: "customer", query: contactsQuery, answer: contactsResponse },
  "POST /api/contacts": {
    access: "customer",
    body: contactRequest,
    status: 201,
    answer: contactResponse,
    refusals: [...numberRefusals, "conflict"],
  },
  "PUT /api/contacts/:id": {
    access: "customer",
    body: contactChangeRequest,
    answer: contactResponse,
    refusals: [...numberRefusals, "conflict", "not_found"],
  },
  "POST /api/contacts/:id/favorite": { access: "customer", answer: contactResponse, refusals: ["not_found"] },
  "POST /api/contacts/export-ticket": { access: "step-up", body: contactExportRequest, answer: contactExportResponse },
  "GET /api/contacts/export": {
    access: "visitor",
    query: contactExportQuery,
    file: ["text/csv", "text/vcard"],
    refusals: ["link_expired", "unauthenticated", "reauth_required"],
  },
  "POST /api/contacts/import": {
    access: "customer",
    query: importQuery,
    raw: { type: "multipart/form-data" },
    answer: importResponse,
    refusals: ["country_required"],
  },
} as const satisfies Endpoints;
