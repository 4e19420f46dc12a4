import { APIError } from "telnyx";
import type { ServiceContext } from "../../context.ts";

/** How long a connection that parks calls is cached. Its settings may change. */
const CACHE_MS = 5 * 60_000;

/**
 * Extensions of our exchange that Telnyx lacks: three commands, prices in a `transfer`, and the lists of trunks and exchanges. Only used with a provider
 * that announces them.
 */
type ExtraCommand = "extend" | "echo" | "move" | "prices" | "trunks" | "exchanges";

/** The provider's connection that browsers use. */
export interface ProviderConnection {
  /** Whether it parks browsers' legs, which is required. */
  parksCalls(): Promise<boolean>;
  /** Whether the provider announces this command. */
  has(command: ExtraCommand): Promise<boolean>;
}

interface ConnectionState {
  readonly parks: boolean;
  readonly extras: ReadonlySet<unknown>;
}

const UNKNOWN_STATE: ConnectionState = { parks: false, extras: new Set() };

/**
 * Parking makes voice tokens harmless: a leg waits until the service gives it a destination. Without it, browsers could dial
 * any number, so no tokens may be issued.
 */
export function createProviderConnection(ctx: ServiceContext): ProviderConnection {
  let cached: ConnectionState = UNKNOWN_STATE;
  let cachedUntilMs = 0;
  let pendingQuery: Promise<ConnectionState> | null = null;

  async function queryConnection(): Promise<ConnectionState> {
    try {
      const { data } = await ctx.telnyx.credentialConnections.retrieve(ctx.config.telnyx.connectionId);
      const extras = (data as { extra_commands?: unknown } | undefined)?.extra_commands;
      cached = {
        parks: data?.outbound?.call_parking_enabled === true,
        extras: new Set(Array.isArray(extras) ? extras : []),
      };
      if (cached.parks) cachedUntilMs = ctx.clock.now().getTime() + CACHE_MS;
      else ctx.log.error("the voice connection does not park calls: no tokens are issued until call parking is switched on");
      return cached;
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      ctx.log.error({ err: error }, "the voice connection could not be checked");
      return UNKNOWN_STATE;
    } finally {
      pendingQuery = null;
    }
  }

  async function currentState(): Promise<ConnectionState> {
    if (ctx.clock.now().getTime() < cachedUntilMs) return cached;
    pendingQuery ??= queryConnection();
    return pendingQuery;
  }

  return {
    parksCalls: async () => (await currentState()).parks,
    has: async (command) => (await currentState()).extras.has(command),
  };
}
