import { exchangeOfControlId } from "@farline/domain/calls/call-state.ts";

/** Unanswered queries in a row; one failure proves nothing about an exchange with thousands of calls. */
const SILENT_QUERIES = 8;

/**
 * Which exchanges do not answer, for one sweep: queries to a machine that is gone take seconds each, so the rest of its calls counts as
 * unreachable without a query.
 */
export class SilentExchanges {
  readonly #unanswered = new Map<string, number>();

  isSilent(controlId: string): boolean {
    const exchange = exchangeOfControlId(controlId);
    return exchange !== null && (this.#unanswered.get(exchange) ?? 0) >= SILENT_QUERIES;
  }

  note(controlId: string, { answered }: { readonly answered: boolean }): void {
    const exchange = exchangeOfControlId(controlId);
    if (exchange !== null) this.#unanswered.set(exchange, answered ? 0 : (this.#unanswered.get(exchange) ?? 0) + 1);
  }
}
