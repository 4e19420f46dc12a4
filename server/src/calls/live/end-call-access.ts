import type { EndElsewhere } from "../../accounts/accounts.ts";
import type { RemovedAccess } from "../../mail/mail.ts";
import { deleteCheck, unchooseNumbers } from "../caller-id/caller-number.store.ts";
import { hasOlderCall } from "../call.store.ts";
import { deleteEchoTests } from "../echo/echo-test.store.ts";
import { deleteCredentials } from "../provider/voice-credential.store.ts";

/**
 * The owner's next voice token is for a sign-in of its own, not for the one a stranger's page may still have. Calls that
 * go on are cut by their own job (`cutCalls`).
 */
export const endCallAccess: EndElsewhere = async (tx, { customerId, at }) => {
  await deleteCredentials(tx, customerId);
  await deleteEchoTests(tx, customerId);
  await deleteCheck(tx, customerId);
  const removed: RemovedAccess[] = (await hasOlderCall(tx, customerId, at)) ? ["live_calls"] : [];
  // Whoever calls back would reach the number that a stranger chose.
  if (await unchooseNumbers(tx, customerId)) removed.push("caller_number");
  return removed;
};
