import type { ServiceContext } from "../context.ts";
import { RateLimitedLog } from "../platform/rate-limited-log.ts";
import { createBatchedAuthorise, type Authorise } from "./authorise/authorise-batch.ts";
import { createAppendEvent, type AppendEvent } from "./events/append-events.ts";
import { createAccountWatch, type AccountWatch } from "./provider-account/watch-account.ts";
import { type CertificateWatch, createCertificateWatch } from "./provider/certificates.ts";
import { createNumberCommands, type NumberCommands } from "./provider/number-commands.ts";
import { createProviderCommands, type ProviderCommands } from "./provider/provider-commands.ts";
import { createProviderConnection, type ProviderConnection } from "./provider/provider-connection.ts";
import { createTrunkWatch, type TrunkWatch } from "./provider/trunk-watch.ts";
import { createCallSecrets, type CallSecrets } from "./record/call-secrets.ts";
import { createSettleCall, type SettleCall } from "./settle/settle-call.ts";
import { EarlyLegs } from "./webhook/early-legs.ts";

/** The service's context plus the shared parts of calls. */
export interface CallContext extends ServiceContext {
  readonly secrets: CallSecrets;
  readonly connection: ProviderConnection;
  readonly account: AccountWatch;
  readonly trunks: TrunkWatch;
  readonly certificates: CertificateWatch;
  readonly commands: ProviderCommands;
  readonly numbers: NumberCommands;
  readonly authorise: Authorise;
  readonly earlyLegs: EarlyLegs;
  /** For events that customers and strangers can trigger repeatedly. */
  readonly rateLimitedLog: RateLimitedLog;
  readonly appendEvent: AppendEvent;
  readonly settle: SettleCall;
}

export function createCallContext(ctx: ServiceContext): CallContext {
  const { apiKeys, connectionId } = ctx.config.telnyx;
  const secrets = createCallSecrets(apiKeys);
  const connection = createProviderConnection(ctx);
  const trunks = createTrunkWatch(ctx, connection);
  return {
    ...ctx,
    secrets,
    connection,
    account: createAccountWatch(ctx),
    trunks,
    certificates: createCertificateWatch(ctx, trunks.certificates),
    commands: createProviderCommands(ctx.telnyx, connectionId, secrets, ctx.log),
    numbers: createNumberCommands(ctx.telnyx, ctx.log),
    authorise: createBatchedAuthorise(ctx),
    earlyLegs: new EarlyLegs(),
    rateLimitedLog: new RateLimitedLog(ctx.log),
    appendEvent: createAppendEvent(ctx),
    settle: createSettleCall(ctx),
  };
}
