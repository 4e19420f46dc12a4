import { APIError, type Telnyx } from "telnyx";
import { judgeAccount, type Finding } from "./judge-account.ts";
import { readAccount } from "./read-account.ts";
import type { AccountRequirements } from "./account-requirements.ts";

/** Checks the account at the voice provider. @returns one finding per setting, with the remedy if it is wrong */
export async function checkAccount(telnyx: Telnyx, required: AccountRequirements): Promise<Finding[]> {
  try {
    return judgeAccount(await readAccount(telnyx, required), required);
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    return [{ level: "failure", text: reasonOf(error) }];
  }
}

function reasonOf(error: APIError): string {
  if (error.status === 401) return "The provider refuses TELNYX_API_KEY: create a new key in the portal and set it.";
  if (error.status === 403) return "The API key may not read the account: create one without restrictions in the portal.";
  if (error.status === undefined)
    return "The voice provider does not respond: check the network, TELNYX_API_BASE and the provider's status page.";
  return `The voice provider's account could not be read (status ${error.status}): try again.`;
}
