import type { Call } from "@farline/contract/calls.ts";
import { createListeners } from "../../browser/listeners.ts";

/** The fields a row shows. Nothing else is kept, to hold 100,000 calls in memory. */
export type ListedCall = Pick<
  Call,
  | "id"
  | "destination_number"
  | "destination_country"
  | "destination_country_name"
  | "contact_name"
  | "status"
  | "end_reason"
  | "hung_up_by"
  | "duration_seconds"
  | "cost"
  | "free_up_to"
  | "rate_per_minute"
  | "created_at"
  | "answered_at"
  | "ended_at"
>;

export interface ListPage {
  /** Newest first. */
  readonly calls: readonly ListedCall[];
  readonly nextCursor: string | null;
}

export interface ListState {
  /** Newest first. The same array grows; only the state around it is replaced. */
  readonly calls: readonly ListedCall[];
  readonly hasMore: boolean;
  readonly loading: boolean;
  /** The last attempt to load more failed; the user starts the next one. */
  readonly failed: boolean;
}

/** Loads the page after the cursor; rejects on failure. */
type LoadPage = (cursor: string) => Promise<ListPage>;

/**
 * A long list of calls, loaded page by page while its top is refreshed repeatedly: new calls are
 * added at the top, changed ones are updated in place, and pages loaded further down stay.
 */
export class CallList {
  readonly #load: LoadPage;
  readonly #listeners = createListeners();
  #calls: ListedCall[] = [];
  #cursor: string | null = null;
  #state: ListState = { calls: [], hasMore: false, loading: false, failed: false };

  constructor(load: LoadPage) {
    this.#load = load;
  }

  readonly subscribe = this.#listeners.subscribe;

  readonly state = (): ListState => this.#state;

  /** Applies the current newest page: it replaces everything down to its last call. */
  takeTop(page: ListPage): void {
    const last = page.calls.at(-1);
    const first = this.#calls[0];
    const meets = last !== undefined && first !== undefined && !isOlder(first, last);
    const kept = page.nextCursor === null || !meets ? -1 : this.#calls.findIndex((call) => isOlder(call, last));
    if (kept === -1) {
      this.#calls = [...page.calls];
      this.#cursor = page.nextCursor;
    } else {
      this.#calls = [...page.calls, ...this.#calls.slice(kept)];
    }
    this.#update({ failed: false });
  }

  /** Loads the next page, unless one is loading or there is none. */
  async loadMore(): Promise<void> {
    const cursor = this.#cursor;
    if (cursor === null || this.#state.loading) return;
    this.#update({ loading: true, failed: false });
    try {
      const page = await this.#load(cursor);
      // Ignore a page requested before the list was reset.
      if (this.#cursor === cursor) {
        this.#calls.push(...page.calls);
        this.#cursor = page.nextCursor;
      }
      this.#update({ loading: false });
    } catch {
      this.#update({ loading: false, failed: true });
    }
  }

  #update(change: Partial<ListState>): void {
    this.#state = { ...this.#state, ...change, calls: this.#calls, hasMore: this.#cursor !== null };
    this.#listeners.notify();
  }
}

/** By time, then by id, as the service orders them. */
function isOlder(call: ListedCall, than: ListedCall): boolean {
  return call.created_at === than.created_at ? call.id < than.id : call.created_at < than.created_at;
}

/** The fields of a call that a row shows. */
export function listed(call: Call): ListedCall {
  return {
    id: call.id,
    destination_number: call.destination_number,
    destination_country: call.destination_country,
    destination_country_name: call.destination_country_name,
    contact_name: call.contact_name,
    status: call.status,
    end_reason: call.end_reason,
    hung_up_by: call.hung_up_by,
    duration_seconds: call.duration_seconds,
    cost: call.cost,
    ...(call.free_up_to === undefined ? {} : { free_up_to: call.free_up_to }),
    rate_per_minute: call.rate_per_minute,
    created_at: call.created_at,
    answered_at: call.answered_at,
    ended_at: call.ended_at,
  };
}
