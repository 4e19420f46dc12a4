import type { Contact, ContactRequest, ContactsResponse, ExportFormat, ImportResponse } from "@farline/contract/contacts.ts";
import type { FileChoices } from "@farline/domain/contacts/contact-file.ts";
import { type InfiniteData, infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { addressOf } from "../../service/endpoint-address.ts";
import { request } from "../../service/http.ts";
import { keepSeen, startFromSeen } from "../../service/last-seen.ts";
import { i18n } from "../../text/i18n.ts";
import { favoritesQuery, queryKeys, refreshCalls } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";
import { showChangeIn } from "../../service/show-answer.ts";

/** Allows a 20 MB upload over a slow connection. */
const IMPORT_TIMEOUT_MS = 120_000;

export interface ContactFilter {
  readonly search: string;
  readonly favorites: boolean;
}

/** About one screen, so that each keystroke in the search renders quickly. */
const FIRST_ROWS = 24;

/** `GET /api/contacts`, by name, in pages. The previous result stays while the next one loads. */
export function contactsQuery({ search, favorites }: ContactFilter) {
  const isAll = search === "" && !favorites;
  return infiniteQueryOptions({
    queryKey: [...queryKeys.contacts, "pages", { search, favorites }],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        limit: pageParam === null ? FIRST_ROWS : undefined,
        search: search || undefined,
        favorites: favorites ? ("true" as const) : undefined,
        cursor: pageParam ?? undefined,
      };
      const page = await request("GET /api/contacts", { query, signal });
      if (isAll && pageParam === null) keepSeen("contacts", { ...page, next_cursor: null });
      return page;
    },
    ...startFromSeen(isAll ? "contacts" : null, (page: ContactsResponse) => ({
      pages: [page],
      pageParams: [null as string | null],
    })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    meta: { failure: () => i18n.t("contacts:failure.fetch") },
  });
}

/** `GET /api/calls/history`: the last call with a contact; null without one. */
export function lastCallQuery(contactId: string) {
  return queryOptions({
    queryKey: [...queryKeys.calls, "last with", contactId],
    queryFn: async ({ signal }) => {
      const query = { contact: contactId, limit: 1 };
      return (await request("GET /api/calls/history", { query, signal })).calls.data[0] ?? null;
    },
  });
}

/** Calls that tell where the next contact probably is. */
const CALLS_TO_GUESS_BY = 5;

/** `GET /api/calls/history`: the country called most in the last calls, the latest of equals; "" without calls. */
export const guessedCountryQuery = queryOptions({
  queryKey: [...queryKeys.calls, "guessed country"],
  queryFn: async ({ signal }) => {
    const { calls } = await request("GET /api/calls/history", { query: { limit: CALLS_TO_GUESS_BY }, signal });
    const called = calls.data.map((call) => call.destination_country);
    const countOf = (code: string) => called.filter((one) => one === code).length;
    return called.toSorted((a, b) => countOf(b) - countOf(a))[0] ?? "";
  },
});

/** `POST /api/contacts` */
export async function addContact(body: ContactRequest): Promise<void> {
  await request("POST /api/contacts", { body });
  await refreshContacts();
}

/** `PUT /api/contacts/{id}`. What is as it was `seen` stays as it is stored now. */
export async function changeContact(id: string, body: ContactRequest, seen: ContactRequest): Promise<void> {
  await request("PUT /api/contacts/:id", { params: { id }, body: { ...body, seen } });
  await refreshContacts();
}

/** `DELETE /api/contacts/{id}` */
export async function deleteContact(id: string): Promise<void> {
  await request("DELETE /api/contacts/:id", { params: { id } });
  await refreshContacts();
}

/** `POST /api/contacts/{id}/favorite`. The star changes at once, and back if the service refuses. */
export async function toggleFavorite({ id, favorite }: Contact): Promise<void> {
  const readAgain = [await show(id, !favorite)];
  try {
    const { contact } = await request("POST /api/contacts/:id/favorite", { params: { id } });
    readAgain.push(await show(id, contact.favorite));
  } catch (error) {
    readAgain.push(await show(id, favorite));
    throw error;
  } finally {
    for (const again of readAgain) void again();
  }
  await queryClient.invalidateQueries({ queryKey: favoritesQuery.queryKey });
}

function show(id: string, favorite: boolean): Promise<() => Promise<void>> {
  const starred = (contacts: readonly Contact[]) =>
    contacts.map((contact) => (contact.id === id ? { ...contact, favorite } : contact));
  return showChangeIn<Contact[] | InfiniteData<ContactsResponse>>(queryClient, queryKeys.contacts, (data) =>
    Array.isArray(data)
      ? starred(data)
      : { ...data, pages: data.pages.map((page) => ({ ...page, contacts: starred(page.contacts) })) },
  );
}

interface ImportOptions {
  readonly file: File;
  /** ISO code for numbers without a country code; "" is none. */
  readonly country: string;
  readonly choices: FileChoices;
}

/** `POST /api/contacts/import?preview=true`: what the import would do. */
export function previewImport({ file, ...options }: ImportOptions, signal: AbortSignal): Promise<ImportResponse> {
  return upload(file, { ...options, preview: "true" }, signal);
}

/** `POST /api/contacts/import` */
export async function importContacts({ file, ...options }: ImportOptions): Promise<ImportResponse> {
  const done = await upload(file, options);
  await refreshContacts();
  return done;
}

function upload(
  file: File,
  { country, choices, preview }: Omit<ImportOptions, "file"> & { readonly preview?: "true" },
  signal?: AbortSignal,
): Promise<ImportResponse> {
  const query = {
    preview,
    country: country || undefined,
    charset: choices.charset ?? undefined,
    columns: choices.columns?.join(","),
  };
  const body = new FormData();
  body.set("file", file);
  return request("POST /api/contacts/import", { query, body, signal, timeoutMs: IMPORT_TIMEOUT_MS });
}

/** A single-use download URL that contains no session token. */
export async function exportAddress(format: ExportFormat): Promise<string> {
  const { ticket } = await request("POST /api/contacts/export-ticket", { body: { format } });
  return addressOf("GET /api/contacts/export", { query: { ticket } });
}

/** Reloads contacts after a change, and calls, because they show contact names. */
async function refreshContacts(): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: queryKeys.contacts }), refreshCalls()]);
}
