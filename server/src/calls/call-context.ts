import { createAuthorise, type Authorise } from "./authorise/authorise-calls.ts";
import { RateLimitedLog } from "../platform/rate-limited-log.ts";
import { EarlyLegs } from "./webhook/early-legs.ts";
import type { CallDependencies } from "./call-dependencies.ts";
import { createCallSecrets, type CallSecrets } from "./record/call-secrets.ts";
import { createNoteEvent, type NoteEvent } from "./events/append-events.ts";
import { createNumberCommands, type NumberCommands } from "./provider/number-commands.ts";
import { createProviderCommands, type ProviderCommands } from "./provider/provider-commands.ts";
import { createProviderConnection, type ProviderConnection } from "./provider/provider-connection.ts";
import { createAccountWatch, type AccountWatch } from "./provider-account/watch-account.ts";
import { createSettleCall, type SettleCall } from "./settle/settle-call.ts";

/** The parts, and what this subject builds from them. */
export interface CallContext extends CallDependencies {
  readonly secrets: CallSecrets;
  readonly connection: ProviderConnection;
  readonly account: AccountWatch;
  readonly commands: ProviderCommands;
  readonly numbers: NumberCommands;
  readonly authorise: Authorise;
  readonly earlyLegs: EarlyLegs;
  /** For what customers and strangers can cause again and again. */
  readonly rateLimitedLog: RateLimitedLog;
  readonly noteEvent: NoteEvent;
  readonly settle: SettleCall;
}

export function createCallContext(deps: CallDependencies): CallContext {
  const secrets = createCallSecrets(deps.config.telnyx.apiKey);
  return {
    ...deps,
    secrets,
    connection: createProviderConnection(deps),
    account: createAccountWatch(deps),
    commands: createProviderCommands(deps.telnyx, deps.config.telnyx.connectionId, secrets, deps.log),
    numbers: createNumberCommands(deps.telnyx, deps.log),
    authorise: createAuthorise(deps),
    earlyLegs: new EarlyLegs(),
    rateLimitedLog: new RateLimitedLog(deps.log),
    noteEvent: createNoteEvent(deps),
    settle: createSettleCall(deps),
  };
}
