import { randomUUID } from "node:crypto";
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
