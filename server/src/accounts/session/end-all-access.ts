import type { Tx } from "../../platform/database/database.ts";
import { deleteAllTickets } from "../../platform/http/download-ticket.ts";
import { deleteAllMailLinks } from "../record/mail-link.store.ts";
import { deleteAllSignInChallenges } from "../record/second-factor.store.ts";
import { endEverySession } from "./session.store.ts";

/** Ends every customer's sessions, mailed links, tickets and pending sign-ins, because some may have ended after a back-up. */
export async function endAllAccess(tx: Tx, at: Date): Promise<void> {
  await endEverySession(tx, { by: "restored", at });
  await deleteAllMailLinks(tx);
  await deleteAllSignInChallenges(tx);
  await deleteAllTickets(tx);
}
