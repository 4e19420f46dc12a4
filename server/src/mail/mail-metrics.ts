import type { Metric } from "../platform/metric.ts";
import type { Context } from "../context.ts";
import { oldestWaitingMail } from "./mail.store.ts";

/** Sign-in codes and receipts are wanted at once. */
const LATE_SECONDS = 15 * 60;

/** Metrics of the outbox for monitoring. */
export function mailMetrics({ handle, clock }: Context): Metric[] {
  return [
    {
      name: "farline_mail_waiting_seconds",
      help: "Age of the oldest mail that has not been sent",
      read: async () => {
        const since = await oldestWaitingMail(handle.db);
        return since === null ? 0 : Math.max(0, Math.floor((clock.now().getTime() - since.getTime()) / 1_000));
      },
      runbook: "mails-waiting",
      warning: (seconds) =>
        seconds < LATE_SECONDS ? null : `Mails have waited for ${Math.floor(seconds / 60)} minutes. Check SMTP_URL and the log.`,
    },
  ];
}
