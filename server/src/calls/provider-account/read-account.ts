import { NotFoundError, type Telnyx } from "telnyx";
import type { CredentialConnection } from "telnyx/resources/credential-connections/credential-connections.js";
import type { OutboundVoiceProfile } from "telnyx/resources/outbound-voice-profiles.js";
import type { NumbersPhoneNumberDetailed } from "telnyx/resources/phone-numbers/phone-numbers.js";
import type { WantedAccount } from "./wanted-account.ts";

/** The account at the voice provider as far as calls need it. */
export interface Account {
  /** Null if there is none with the configured id. */
  readonly connection: CredentialConnection | null;
  /** Null at our own exchange, which has nothing but connection and credentials. */
  readonly rest: AccountRest | null;
}

export interface AccountRest {
  /** In dollars, as text; null if not given. */
  readonly availableCredit: string | null;
  /** The connection's profile; null without one. */
  readonly profile: OutboundVoiceProfile | null;
  /** The caller number; null if the account does not own it. */
  readonly number: NumbersPhoneNumberDetailed | null;
}

/** @throws APIError if the provider refuses the key or does not answer */
export async function readAccount(
  telnyx: Telnyx,
  wanted: Pick<WantedAccount, "connectionId" | "callerNumber">,
): Promise<Account> {
  const { connectionId } = wanted;
  const found = connectionId === null ? null : await unlessMissing(telnyx.credentialConnections.retrieve(connectionId));
  const connection = found?.data ?? null;
  const profiles = await unlessMissing(telnyx.outboundVoiceProfiles.list({ "page[size]": 1 }));
  if (profiles === null) return { connection, rest: null };
  const profileId = connection?.outbound?.outbound_voice_profile_id;
  const [balance, profile, number] = await Promise.all([
    telnyx.balance.retrieve(),
    profileId ? unlessMissing(telnyx.outboundVoiceProfiles.retrieve(profileId)) : null,
    wanted.callerNumber === null ? null : findNumber(telnyx, wanted.callerNumber),
  ]);
  const availableCredit = balance.data?.available_credit ?? balance.data?.balance ?? null;
  return { connection, rest: { availableCredit, profile: profile?.data ?? null, number } };
}

/** The account's own number; null if it is not the account's. */
export async function findNumber(telnyx: Telnyx, phoneNumber: string): Promise<NumbersPhoneNumberDetailed | null> {
  const page = await telnyx.phoneNumbers.list({ filter: { phone_number: phoneNumber } });
  return page.data.find(({ phone_number: number }) => number === phoneNumber) ?? null;
}

async function unlessMissing<Answer>(asked: PromiseLike<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
