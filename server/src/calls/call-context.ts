import { createAuthorise, type Authorise } from "./authorise/authorise-calls.ts";
import type { CallDependencies } from "./call-dependencies.ts";
import { createCallSecrets, type CallSecrets } from "./call-secrets.ts";
import { createNumberCommands, type NumberCommands } from "./provider/number-commands.ts";
import { createProviderCommands, type ProviderCommands } from "./provider/provider-commands.ts";
import { createSettleCall, type SettleCall } from "./settle/settle-call.ts";

/** The parts, and what this subject builds from them. */
export interface CallContext extends CallDependencies {
  readonly secrets: CallSecrets;
  readonly commands: ProviderCommands;
  readonly numbers: NumberCommands;
  readonly authorise: Authorise;
  readonly settle: SettleCall;
}

export function createCallContext(parts: CallDependencies): CallContext {
  const secrets = createCallSecrets(parts.config.telnyx.apiKey);
  return {
    ...parts,
    secrets,
    commands: createProviderCommands(parts.telnyx, secrets, parts.log),
    numbers: createNumberCommands(parts.telnyx, parts.log),
    authorise: createAuthorise(parts),
    settle: createSettleCall(parts),
  };
}
