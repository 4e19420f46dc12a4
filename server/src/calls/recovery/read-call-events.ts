import type { Telnyx } from "telnyx";
import { z } from "zod";
import { AppError } from "../../platform/app-error.ts";
import { readProviderEvent, type ProviderEvent } from "../events/read-provider-event.ts";
import { isUnknown, providerError } from "../provider/provider-errors.ts";

const EVENTS_A_PAGE = 100;
/** Guards against endless cursors: ten million events. */
const MAX_PAGES = 100_000;

const eventsPage = z.object({
  data: z.array(z.object({ metadata: z.unknown() })).default([]),
  meta: z.object({ cursors: z.object({ after: z.string().nullish() }).nullish() }).nullish(),
});

/**
 * Reads the provider's events since `from`, of at most the last day, a page at a time. Our exchange gives larger pages than requested.
 * @returns false if this provider keeps no events
 * @throws AppError voice_provider_down
 */
export async function readCallEvents(
  telnyx: Telnyx,
  from: Date,
  use: (events: readonly ProviderEvent[]) => Promise<void>,
): Promise<boolean> {
  let after: string | null = null;
  for (let count = 0; count < MAX_PAGES; count++) {
    const page = await readPage(telnyx, from, after);
    if (page === null) return false;
    await use(page.data.flatMap(({ metadata }) => readProviderEvent({ data: metadata }) ?? []));
    const next: string | null = page.meta?.cursors?.after ?? null;
    if (next === null || next === after) return true;
    after = next;
  }
  throw new Error(`The voice provider lists more than ${MAX_PAGES} pages of events.`);
}

async function readPage(telnyx: Telnyx, from: Date, after: string | null): Promise<z.output<typeof eventsPage> | null> {
  const query = {
    "filter[occurred_at][gte]": from.toISOString(),
    "filter[type]": "webhook",
    "page[limit]": EVENTS_A_PAGE,
    ...(after === null ? {} : { "page[after]": after }),
  };
  try {
    return eventsPage.parse(await telnyx.get<unknown>("/call_events", { query }));
  } catch (error) {
    if (error instanceof z.ZodError) throw error;
    const known = providerError(error);
    if (isUnknown(known)) return null;
    throw new AppError("voice_provider_down", { cause: known });
  }
}
