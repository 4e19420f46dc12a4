import { Readable } from "node:stream";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { NumberSuggestion, SuggestionsResponse } from "@farline/contract/call-history.ts";
import { searchedDigits } from "@farline/domain/numbers/searched-digits.ts";
import { customerOf, perCustomer, sessionOf, type Customer } from "../../accounts/accounts.ts";
import { presentedTicket } from "../../platform/http/download-ticket.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import { exportCalls, issueExportTicket } from "./export-calls.ts";
import { readCalledCountries, readCallHistory, readCallsOfMember, readCallTotals } from "./read-history.ts";
import { summariseCalls } from "./summarise-calls.ts";
import type { Context } from "../../context.ts";
import { contactNames, findNamedNumbers } from "../../contacts/contacts.ts";
import { readCalledNumbers, type CalledNumber } from "./history.store.ts";

const MAX_SUGGESTIONS = 6;
/** Default suggestions: numbers called this week. */
const RECENT_DAYS = 7;
/** How much of the history a search scans, which bounds its duration. */
const SEARCHED_DAYS = 365;
const SEARCHED_CALLS = 5_000;

/** Routes for lists, totals and downloads of calls: a customer's own, and those of a member of their family. */
export function historyRoutes(app: App, ctx: Context): void {
  const exports = memoryRateLimit(ctx, "call-export");

  serve(app, "GET /api/calls/history", async (request) => readCallHistory(ctx, customerOf(request), request.query));

  serve(app, "GET /api/calls/totals", async (request) => readCallTotals(ctx, customerOf(request), request.query));

  serve(app, "GET /api/calls/countries", async (request) => readCalledCountries(ctx, customerOf(request)));

  serve(app, "GET /api/calls/suggestions", async (request) => suggestNumbers(ctx, customerOf(request), request.query.search));

  serve(app, "GET /api/family/members/:id/calls", async (request) =>
    readCallsOfMember(ctx, { ownerId: customerOf(request).id, memberId: request.params.id }),
  );

  serve(app, "GET /api/calls/summary", async (request) => summariseCalls(ctx, customerOf(request), request.query));

  serve(app, "POST /api/calls/export-ticket", {
    onRequest: perCustomer(exports),
    handler: async (request) => {
      const customer = sessionOf(request);
      return issueExportTicket(ctx, customer, request.body);
    },
  });

  // Browsers open this URL without the session token, so the ticket authorises it.
  serve(app, "GET /api/calls/export", async (request, reply) => {
    const { fileName, records } = await exportCalls(ctx, presentedTicket(request, request.query.ticket));
    return reply
      .type("text/csv; charset=utf-8")
      .header("content-disposition", `attachment; filename="${fileName}"`)
      .send(Readable.from(records));
  });
}

/**
 * Suggestions for the text in the number field: matching numbers called before, then those of contacts. Without a text, the numbers
 * called in the last seven days.
 */
async function suggestNumbers(ctx: Context, customer: Customer, text: string): Promise<SuggestionsResponse> {
  const { db } = ctx.handle;
  const [called, ofContacts] = await Promise.all([
    calledNumbers(ctx, customer, text),
    text === "" ? [] : findNamedNumbers(db, customer.id, text, MAX_SUGGESTIONS),
  ]);
  const numbers: readonly Pick<NumberSuggestion, "phone_number" | "extension" | "country_code">[] = [
    ...called.map(({ destination, country_code }) => ({ phone_number: destination, extension: "", country_code })),
    ...ofContacts,
  ];
  const names = await contactNames(
    db,
    customer.id,
    numbers.map((number) => number.phone_number),
  );
  const suggestions = new Map<string, NumberSuggestion>();
  for (const { phone_number, extension, country_code } of numbers) {
    const key = phone_number + extension;
    const name = names.get(phone_number) ?? null;
    if (!suggestions.has(key)) suggestions.set(key, { phone_number, extension, country_code, name });
  }
  return { suggestions: [...suggestions.values()].slice(0, MAX_SUGGESTIONS) };
}

/** Searches the history by digits only, because names are matched by the contacts. */
async function calledNumbers({ handle, clock }: Context, customer: Customer, text: string): Promise<CalledNumber[]> {
  const digits = searchedDigits(text);
  if (text !== "" && digits === null) return [];
  const days = text === "" ? RECENT_DAYS : SEARCHED_DAYS;
  const since = new Date(clock.now().getTime() - days * DAY_MS);
  return readCalledNumbers(handle.db, customer.id, { digits, since, calls: SEARCHED_CALLS, limit: MAX_SUGGESTIONS });
}
