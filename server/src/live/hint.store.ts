import { liveHint } from "@farline/contract/events.ts";
import { sql } from "kysely";
import pg from "pg";
import type { Logger } from "pino";
import { z } from "zod";
import { settleWithin } from "@farline/domain/durations.ts";
import { cutConnection, sessionUrl } from "../platform/database/database-session.ts";
import type { DatabaseHandle } from "../platform/database/database.ts";
import { executePrepared } from "../platform/database/prepared.ts";
import type { AddressedHint } from "./hint-batch.ts";

const CHANNEL = "farline_live";
/** PostgreSQL limits a notification to 8,000 bytes. Hints are pure ASCII. */
const MAX_BYTES = 7_500;
/** A connection that a network has dropped silently brings no hints and no error: it must answer this often, within this time. */
const HEARTBEAT_EVERY_MS = 5_000;
const ANSWER_WITHIN_MS = 3_000;
const RECONNECT_MS = { first: 500, max: 15_000 };

const message = z.object({ from: z.string(), hints: z.array(z.tuple([z.string(), liveHint])) });

/**
 * Sends hints to every listening instance, in a statement of its own. It commits asynchronously: losing a hint in a
 * crash does no harm.
 * @param from the sender's id, so that it recognises its own hints
 */
export async function sendHints({ db }: DatabaseHandle, from: string, hints: readonly AddressedHint[]): Promise<void> {
  const query = sql`select set_config('synchronous_commit', 'off', true),
    (select count(pg_notify(${CHANNEL}, payload)) from unnest(${messagesOf(from, hints)}::text[]) payload)`;
  await executePrepared(db, "send_hints", query);
}

/** Splits hints into messages that each fit into a notification. */
export function messagesOf(from: string, hints: readonly AddressedHint[]): string[] {
  const messages: string[] = [];
  let waiting: AddressedHint[] = [];
  let size = 0;
  for (const hint of hints) {
    const bytes = JSON.stringify(hint).length + 1;
    if (size + bytes > MAX_BYTES - 100) {
      messages.push(JSON.stringify({ from, hints: waiting }));
      [waiting, size] = [[], 0];
    }
    waiting.push(hint);
    size += bytes;
  }
  if (waiting.length > 0) messages.push(JSON.stringify({ from, hints: waiting }));
  return messages;
}

/**
 * Listens on a dedicated connection, reopened whenever it is lost.
 * @param on.onGap called when a lost connection is back: hints in between were missed
 * @returns a function that stops listening
 */
export function listenForHints(
  databaseUrl: string,
  log: Logger,
  on: { onHints: (from: string, hints: readonly AddressedHint[]) => void; onGap: () => void },
): () => Promise<void> {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let heartbeat: NodeJS.Timeout | null = null;
  let stopped = false;
  let failures = 0;
  let heardBefore = false;

  const connect = async () => {
    timer = null;
    const next = new pg.Client({
      connectionString: sessionUrl(databaseUrl),
      application_name: "farline-live",
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
    });
    client = next;
    next.on("notification", ({ payload }) => read(payload ?? "", log, on.onHints));
    // Reported once per lost connection; `end` follows an error.
    next.on("error", (error) => log.warn({ err: error }, "live hints: database connection lost"));
    next.on("end", () => again(next));
    await next.connect();
    await next.query(`listen ${CHANNEL}`);
    failures = 0;
    if (heardBefore) on.onGap();
    heardBefore = true;
    beat(next);
  };
  const beat = (listening: pg.Client) => {
    heartbeat = setTimeout(() => {
      const late = () => Promise.reject(new Error("no answer in time"));
      // Listening again changes nothing.
      settleWithin(listening.query(`listen ${CHANNEL}`), ANSWER_WITHIN_MS, late).then(
        () => beat(listening),
        () => cutConnection(listening),
      );
    }, HEARTBEAT_EVERY_MS).unref();
  };
  const again = (lost: pg.Client) => {
    if (heartbeat !== null) clearTimeout(heartbeat);
    if (stopped || client !== lost) return;
    client = null;
    const waitMs = Math.min(RECONNECT_MS.max, RECONNECT_MS.first * 2 ** failures);
    failures += 1;
    timer = setTimeout(start, waitMs);
  };
  const start = () => {
    connect().catch((error: unknown) => {
      const lost = client;
      if (stopped || lost === null) return;
      log.warn({ err: error }, "live hints: database cannot be reached");
      again(lost);
      void lost.end().catch(() => undefined);
    });
  };

  start();
  return async () => {
    stopped = true;
    if (timer !== null) clearTimeout(timer);
    if (heartbeat !== null) clearTimeout(heartbeat);
    await client?.end().catch(() => undefined);
  };
}

function read(payload: string, log: Logger, onHints: (from: string, hints: readonly AddressedHint[]) => void): void {
  try {
    const { from, hints } = message.parse(JSON.parse(payload));
    onHints(from, hints);
  } catch (error) {
    // A newer version of the service may know hints that this one does not.
    log.debug({ err: error }, "live hints with an unknown format");
  }
}
