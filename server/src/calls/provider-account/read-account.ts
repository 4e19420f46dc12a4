import { NotFoundError, type Telnyx } from "telnyx";
import type { CredentialConnection } from "telnyx/resources/credential-connections/credential-connections.js";
import type { OutboundVoiceProfile } from "telnyx/resources/outbound-voice-profiles.js";
import type { NumbersPhoneNumberDetailed } from "telnyx/resources/phone-numbers/phone-numbers.js";
import type { AccountRequirements } from "./account-requirements.ts";

/** The parts of the account at the voice provider that calls depend on. */
export interface Account {
  /** Null if the configured connection does not exist. */
  readonly connection: CredentialConnection | null;
  /** Null for our own exchange, which only has a connection and credentials. */
  readonly details: AccountDetails | null;
}

export interface AccountDetails {
  /** In dollars, as text; null if not reported. */
  readonly availableCredit: string | null;
  /** The connection's profile; null without one. */
  readonly profile: OutboundVoiceProfile | null;
  /** The caller number; null if the account does not own it. */
  readonly number: NumbersPhoneNumberDetailed | null;
}

/** @throws APIError if the provider refuses the key or does not respond */
export async function readAccount(
  telnyx: Telnyx,
  required: Pick<AccountRequirements, "connectionId" | "callerNumber">,
): Promise<Account> {
  const { connectionId } = required;
  const found = connectionId === null ? null : await nullIfMissing(telnyx.credentialConnections.retrieve(connectionId));
  const connection = found?.data ?? null;
  const profiles = await nullIfMissing(telnyx.outboundVoiceProfiles.list({ "page[size]": 1 }));
  if (profiles === null) return { connection, details: null };
  const profileId = connection?.outbound?.outbound_voice_profile_id;
  const [balance, profile, number] = await Promise.all([
    telnyx.balance.retrieve(),
    profileId ? nullIfMissing(telnyx.outboundVoiceProfiles.retrieve(profileId)) : null,
    required.callerNumber === null ? null : findNumber(telnyx, required.callerNumber),
  ]);
  const availableCredit = balance.data?.available_credit ?? balance.data?.balance ?? null;
  return { connection, details: { availableCredit, profile: profile?.data ?? null, number } };
}

/** Finds a number that the account owns; null if it does not. */
export async function findNumber(telnyx: Telnyx, phoneNumber: string): Promise<NumbersPhoneNumberDetailed | null> {
  const page = await telnyx.phoneNumbers.list({ filter: { phone_number: phoneNumber } });
  return page.data.find(({ phone_number: number }) => number === phoneNumber) ?? null;
}

async function nullIfMissing<T>(request: PromiseLike<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
