import type { EndElsewhere } from "../../accounts/accounts.ts";
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
  return (await hasOlderCall(tx, customerId, at)) ? ["live_calls"] : [];
};
