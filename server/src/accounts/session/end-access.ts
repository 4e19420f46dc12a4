import type { Tx } from "../../platform/database/database.ts";
import { forgetBrowsers } from "../record/known-browser.store.ts";
import { deleteSignInChallenges } from "../record/sign-in-challenge.store.ts";
import { deleteSessions, type RecordedEnd } from "./session.store.ts";

/** Ends an account's sessions, pending sign-ins and known browsers, except those named. */
export async function endAccess(
  tx: Tx,
  wanted: { customerId: string; butSession: string | null; butBrowser: Buffer | null },
  end: RecordedEnd,
): Promise<void> {
  const { customerId } = wanted;
  await deleteSessions(tx, { customerId, butNot: wanted.butSession }, end);
  await forgetBrowsers(tx, { customerId, butNot: wanted.butBrowser });
  await deleteSignInChallenges(tx, customerId);
}
