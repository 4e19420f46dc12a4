import type { CallParts } from "./call-parts.ts";
import { createCallSecrets, type CallSecrets } from "./call-secrets.ts";
import { createProviderCommands, type ProviderCommands } from "./provider-commands.ts";

/** The parts, and what the calls build on them for themselves. */
export interface CallMachinery extends CallParts {
  readonly secrets: CallSecrets;
  readonly commands: ProviderCommands;
}

export function createCallMachinery(parts: CallParts): CallMachinery {
  return {
    ...parts,
    secrets: createCallSecrets(parts.config.telnyx.apiKey),
    commands: createProviderCommands(parts.telnyx, parts.log),
  };
}
