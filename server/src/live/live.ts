import type { LiveHint } from "@farline/contract/events.ts";
import type { Logger } from "pino";
import type { HintListener, Live } from "../context.ts";
import type { DatabaseHandle } from "../platform/database/database.ts";
import { HintBatch } from "./hint-batch.ts";
import { listenForHints, sendHints } from "./hint.store.ts";

export { liveRoutes, HintStream } from "./live-routes.ts";
/**
 * Sends live hints between instances of the service through the shared database. Local listeners get a hint at once; the
 * other instances get it in a batch, sent in one statement outside any transaction that moves money.
 * @param deps.databaseUrl for the dedicated connection that listens
 */
export function createLive(deps: { handle: DatabaseHandle; databaseUrl: string; log: Logger }): Live {
  const { handle, databaseUrl, log } = deps;
  const byCustomer = new Map<string, Set<HintListener>>();
  const publishedListeners = new Set<(customerId: string, hint: LiveHint) => void>();
  const origin = crypto.randomUUID();

  const toAll = new Set<HintListener>();
  const deliver = (customerId: string, hint: LiveHint) => {
    for (const listener of toAll) listener(hint);
    for (const listener of byCustomer.get(customerId) ?? []) listener(hint);
  };
  const batch = new HintBatch({
    send: (hints) => sendHints(handle, origin, hints),
    onFailure: (error) => log.warn({ err: error }, "live hints could not be sent to other instances"),
  });
  const stopListening = listenForHints(databaseUrl, log, {
    onHints: (from, hints) => {
      if (from !== origin) for (const [customerId, hint] of hints) deliver(customerId, hint);
    },
    onGap: () => {
      const missed: LiveHint = { type: "ready" };
      for (const listeners of [toAll, ...byCustomer.values()]) for (const listener of listeners) listener(missed);
    },
  });

  return {
    publish(customerId, hint) {
      deliver(customerId, hint);
      for (const listener of publishedListeners) listener(customerId, hint);
      batch.add(customerId, hint);
    },
    subscribe(customerId, listener) {
      const listeners = byCustomer.get(customerId) ?? new Set();
      byCustomer.set(customerId, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) byCustomer.delete(customerId);
      };
    },
    subscribeToAll(listener) {
      toAll.add(listener);
      return () => toAll.delete(listener);
    },
    onPublished(listener) {
      publishedListeners.add(listener);
      return () => publishedListeners.delete(listener);
    },
    async close() {
      await batch.close();
      await stopListening();
    },
  };
}
