import { APIError, type Telnyx } from "telnyx";
import { judgeAccount, type Finding } from "./judge-account.ts";
import { readAccount } from "./read-account.ts";
import type { WantedAccount } from "./wanted-account.ts";

/** Reads the account at the voice provider and says, one sentence for each setting, what is good and what to mend. */
export async function checkAccount(telnyx: Telnyx, wanted: WantedAccount): Promise<Finding[]> {
  try {
    return judgeAccount(await readAccount(telnyx, wanted), wanted);
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    return [{ level: "failure", text: reasonOf(error) }];
  }
}

function reasonOf(error: APIError): string {
  if (error.status === 401) return "The provider refuses TELNYX_API_KEY: make a new key in the portal and set it.";
  if (error.status === 403) return "The API key may not read the account: make one without restrictions in the portal.";
  if (error.status === undefined)
    return "The voice provider does not answer: look at the network, TELNYX_API_BASE and the provider's status page.";
  return `The voice provider cannot be asked about the account (status ${error.status}): try again.`;
}
