import { failureCode, testMailServer } from "@farline/server/mail/mail-transport.ts";
import type { Config } from "@farline/server/platform/settings/config.ts";
import { fault, ok, reasonOf, warning, type Finding } from "../finding.ts";

const ANSWER_LIMIT_MS = 5_000;
const TELNYX = "https://api.telnyx.com/v2";

/** Whether the mail server answers and accepts our credentials. No mail is sent. */
export async function checkMail({ smtpUrl }: Config["mail"]): Promise<Finding[]> {
  if (smtpUrl === null) return [warning("SMTP_URL is not set: mails are kept for a day, then dropped.")];
  const { host } = new URL(smtpUrl);
  try {
    await testMailServer(smtpUrl);
    return [ok(`The mail server ${host} answers.`)];
  } catch (error) {
    return [fault(`The mail server ${host} cannot be used: ${failureCode(error)}.`)];
  }
}

/** Whether the voice provider, Telnyx or our exchange, accepts the service's key. */
export async function checkVoiceProvider({
  apiBase,
  apiKeys,
}: Pick<Config["telnyx"], "apiBase" | "apiKeys">): Promise<Finding[]> {
  const base = apiBase ?? TELNYX;
  try {
    const headers = { authorization: `Bearer ${apiKeys[0]}` };
    const answer = await fetch(`${base}/balance`, { headers, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    await answer.body?.cancel();
    if (answer.status === 200) return [ok(`The voice provider at ${base} accepts the service's key.`)];
    if (answer.status === 401) return [fault(`The voice provider at ${base} refuses TELNYX_API_KEY.`)];
    return [fault(`The voice provider at ${base} answered ${answer.status}.`)];
  } catch (error) {
    return [fault(`The voice provider at ${base} does not answer: ${reasonOf(error)}.`)];
  }
}
