import type { AccountContext } from "../account-context.ts";
import type { GoogleProvider } from "./google-provider.ts";

/** The context while sign-in with Google is on. */
export interface GoogleContext extends AccountContext {
  readonly provider: GoogleProvider;
}
