import type { Tx } from "../../platform/database/database.ts";
import { forgetBrowsers } from "../record/known-browser.store.ts";
import { deleteAllSignInChallenges, deleteSignInChallenges } from "../record/second-factor.store.ts";
import { endEverySession, endSessionsOf, type RecordedEnd } from "./session.store.ts";
import { deleteAllTickets } from "../../platform/http/download-ticket.ts";
import { deleteAllMailLinks } from "../record/mail-link.store.ts";
import { insertSecurityEvent, type SecurityEvent } from "../record/security-event.store.ts";

/** Ends an account's sessions, pending sign-ins and known browsers, except those named. */
export async function endAccess(
  tx: Tx,
  wanted: { customerId: string; exceptSession: string | null; exceptBrowser: Buffer | null },
  end: RecordedEnd,
): Promise<void> {
  const { customerId } = wanted;
  await endSessionsOf(tx, { customerId, except: wanted.exceptSession }, end);
  await forgetBrowsers(tx, { customerId, except: wanted.exceptBrowser });
  await deleteSignInChallenges(tx, customerId);
}

/** Ends every customer's sessions, mailed links, tickets and pending sign-ins, because some may have ended after a back-up. */
export async function endAllAccess(tx: Tx, at: Date): Promise<void> {
  await endEverySession(tx, { by: "restored", at });
  await deleteAllMailLinks(tx);
  await deleteAllSignInChallenges(tx);
  await deleteAllTickets(tx);
}

/** Ends a customer's sessions, except those named, and records it. @param order.from null if an operator did it */
export async function signOutEverywhere(
  tx: Tx,
  order: {
    customerId: string;
    exceptSession: string | null;
    exceptBrowser: Buffer | null;
    from: SecurityEvent["from"];
    at: Date;
  },
): Promise<void> {
  const { customerId, from, at } = order;
  const by = from === null ? "signed_out_by_operator" : "signed_out_elsewhere";
  await endAccess(tx, order, { by, at });
  await insertSecurityEvent(tx, { customerId, kind: "signed_out_everywhere", from, at });
}
