import { minimumHold } from "@farline/domain/calls/charge.ts";
import { AppError } from "../../platform/http/app-error.ts";
import { hasOnlyFirstCall } from "../../promotions/promotions.ts";
import type { CallMachinery } from "../call-machinery.ts";
import type { Destination } from "./destination.ts";

/**
 * The bonus for a first call is for ordinary destinations: whoever has nothing else cannot turn it into a dear call.
 * Credit that was bought, once there is any, pays for everything.
 * @throws AppError destination_blocked
 */
export async function refuseDearOnGrant(
  m: Pick<CallMachinery, "handle" | "ledger">,
  customerId: string,
  { quote, priceClass }: Destination,
): Promise<void> {
  if (priceClass === "A") return;
  if (!(await hasOnlyFirstCall(m.handle.db, customerId))) return;
  const { withdrawableMicros: own, availableMicros } = await m.ledger.balance(m.handle.pool, customerId);
  const least = minimumHold(quote);
  // With too little of everything the usual answer is the better one.
  if (own >= least || availableMicros < least) return;
  throw new AppError("destination_blocked", "The free first call does not reach this destination. Top up to call it.");
}
