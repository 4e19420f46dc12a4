import { APIError } from "telnyx";
import type { ServiceContext } from "../../context.ts";

/** How long a good answer is kept. The settings at the provider may change. */
const GOOD_FOR_MS = 5 * 60_000;

/**
 * What our exchange can be told and Telnyx cannot: two commands, and the prices that a `transfer` may carry. None is ever sent to a
 * provider that does not name it.
 */
export type ExtraCommand = "extend" | "echo" | "prices";

/** The connection at the provider that browsers call over. */
export interface ProviderConnection {
  /** Whether it parks browsers' legs, as it must. */
  parksCalls(): Promise<boolean>;
  /** Whether the provider says that it has this command. */
  has(command: ExtraCommand): Promise<boolean>;
}

interface Answer {
  readonly parks: boolean;
  readonly extras: ReadonlySet<unknown>;
}

const NOTHING: Answer = { parks: false, extras: new Set() };

/**
 * Parking makes voice tokens harmless: a leg waits until the service gives it a destination. Without it, browsers could dial
 * any number, so no tokens may be issued.
 */
export function createProviderConnection(ctx: ServiceContext): ProviderConnection {
  let known: Answer = NOTHING;
  let goodUntilMs = 0;
  let asking: Promise<Answer> | null = null;

  async function ask(): Promise<Answer> {
    try {
      const { data } = await ctx.telnyx.credentialConnections.retrieve(ctx.config.telnyx.connectionId);
      const extras = (data as { extra_commands?: unknown } | undefined)?.extra_commands;
      known = {
        parks: data?.outbound?.call_parking_enabled === true,
        extras: new Set(Array.isArray(extras) ? extras : []),
      };
      if (known.parks) goodUntilMs = ctx.clock.now().getTime() + GOOD_FOR_MS;
      else ctx.log.error("the voice connection does not park calls: no tokens are issued until call parking is switched on");
      return known;
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      ctx.log.error({ err: error }, "the voice connection could not be checked");
      return NOTHING;
    } finally {
      asking = null;
    }
  }

  async function answer(): Promise<Answer> {
    if (ctx.clock.now().getTime() < goodUntilMs) return known;
    asking ??= ask();
    return asking;
  }

  return {
    parksCalls: async () => (await answer()).parks,
    has: async (command) => (await answer()).extras.has(command),
  };
}
