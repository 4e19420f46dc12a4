import { ApiError, request } from "./http.ts";
import { readSetting, writeSetting } from "../browser/storage.ts";

/** Keeps the invitation code until the visitor has signed up, which may lead through another site. */
const KEY = "invited-by";
const MAX_CODE_CHARS = 20;

/** Stores the code of an invitation link (`/register?ref=CODE`). */
export function keepInvitation(code: string): void {
  writeSetting(KEY, code.slice(0, MAX_CODE_CHARS));
}

/** `POST /api/referral/claim` for a stored code. Retried at the next start if the service cannot be reached. */
export async function claimInvitation(): Promise<void> {
  const code = readSetting(KEY);
  if (code === null) return;
  try {
    await request("POST /api/referral/claim", { body: { code } });
  } catch (error) {
    if (!(error instanceof ApiError) || !error.fromService || error.status >= 500) return;
  }
  writeSetting(KEY, null);
}
