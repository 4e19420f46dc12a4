import type { Tx } from "../../platform/database/database.ts";
import { forgetBrowsers } from "../record/known-browser.store.ts";
import { deleteSignInChallenges } from "../record/second-factor.store.ts";
import { endSessionsOf, type RecordedEnd } from "./session.store.ts";

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
