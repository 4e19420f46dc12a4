import type { ActivityKind } from "@farline/contract/account-activity.ts";
import { randomUUID } from "node:crypto";
import { insertSecurityEvent } from "./security-event.store.ts";
import type { RequestOrigin } from "./request-origin.ts";
import { enqueueMail, type NoticeEvent, type RemovedAccess } from "../../mail/mail.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Customer } from "./customer.store.ts";

/**
 * Notifies the owner of an account by mail that a way to sign in changed.
 * @param notice.device from `deviceName`; null if unknown
 * @param notice.removed what `endPlantedAccess` removed
 */
export async function sendNotice(
  tx: Tx,
  customer: Pick<Customer, "id" | "name" | "email" | "language">,
  notice: { event: NoticeEvent; at: Date; device: string | null; removed?: readonly RemovedAccess[]; codeStays?: boolean },
): Promise<void> {
  await enqueueMail(tx, {
    template: "security_notice",
    data: {
      name: customer.name,
      event: notice.event,
      at: notice.at.toISOString(),
      device: notice.device,
      ...(notice.removed === undefined ? {} : { removed: [...notice.removed] }),
      ...(notice.codeStays === undefined ? {} : { codeStays: notice.codeStays }),
    },
    to: customer.email,
    language: customer.language,
    key: `notice ${notice.event} ${customer.id} ${randomUUID()}`,
    at: notice.at,
  });
}

/** Records a change of an account in its history, and notifies its owner by mail. @param change.detail its subject, for the history */
export async function recordWithNotice(
  tx: Tx,
  customer: Pick<Customer, "id" | "name" | "email" | "language">,
  change: { event: NoticeEvent & ActivityKind; detail?: string; from: RequestOrigin; at: Date },
): Promise<void> {
  const { event, detail, from, at } = change;
  await insertSecurityEvent(tx, { customerId: customer.id, kind: event, detail, from, at });
  await sendNotice(tx, customer, { event, at, device: from.device });
}
