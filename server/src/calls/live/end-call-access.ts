import type { EndElsewhere } from "../../accounts/accounts.ts";
import type { RemovedAccess } from "../../mail/mail.ts";
import { deleteCheck, resetShownNumber } from "../caller-id/caller-number.store.ts";
import { hasOlderCall } from "./calls-to-end.store.ts";
import { deleteEchoTests } from "../echo/echo-test.store.ts";
import { endCredentials } from "../credentials/voice-credential.store.ts";

/**
 * Revokes the customer's voice credentials, so that an intruder's page cannot use the owner's next voice token. A job (`cutCalls`)
 * ends running calls.
 */
export const endCallAccess: EndElsewhere = async (tx, { customerId, at }) => {
  await endCredentials(tx, customerId, at);
  await deleteEchoTests(tx, customerId);
  await deleteCheck(tx, customerId);
  const removed: RemovedAccess[] = (await hasOlderCall(tx, customerId, at)) ? ["live_calls"] : [];
  // Otherwise people who call back would reach a number that the intruder chose.
  if (await resetShownNumber(tx, customerId)) removed.push("caller_number");
  return removed;
};
