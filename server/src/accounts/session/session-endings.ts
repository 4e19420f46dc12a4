import type { SessionEnd } from "@farline/contract/errors.ts";

/** How sessions end: what their page is told, and whether their running calls end with them. */
export const SESSION_ENDINGS = {
  /** In its own browser, whose other tabs may be in a call. It still ends when somebody later ends the customer's sessions. */
  signed_out_here: { told: "signed_out", calls: "go_on" },
  signed_out_elsewhere: { told: "signed_out", calls: "end" },
  signed_out_by_operator: { told: "signed_out", calls: "end" },
  /** A passkey, Google or the authenticator was removed on another device. */
  sign_in_method_removed: { told: "signed_out", calls: "end" },
  password_changed: { told: "password_changed", calls: "end" },
  password_reset: { told: "password_changed", calls: "end" },
  account_closed: { told: "account_closed", calls: "end" },
  other_browser: { told: "other_browser", calls: "end" },
  too_many_devices: { told: "too_many_devices", calls: "end" },
  /** A call is never cut because time has passed. */
  expired: { told: "expired", calls: "go_on" },
  /** Everybody's sessions end, to be safe. Honest calls would be cut for it. */
  restored: { told: "signed_out", calls: "go_on" },
} as const satisfies Record<string, { readonly told: SessionEnd; readonly calls: "end" | "go_on" }>;

export type SessionEnding = keyof typeof SESSION_ENDINGS;
