import { KNOWN_HABITS } from "../fakes/strict-telnyx/telnyx-legs.ts";
import { StrictTelnyx, type Delivery } from "../fakes/strict-telnyx/strict-telnyx.ts";
import { createCallWorld, LONDON, type CallWorld } from "./call-world.ts";
import type { Customer } from "../../src/accounts/accounts.ts";
import type { TelnyxLeg } from "../fakes/strict-telnyx/telnyx-legs.ts";

/** The service's sweep interval. */
const STEP_SECONDS = 5;

/** The service's calls, with Telnyx as documented. */
export interface TelnyxWorld {
  readonly world: CallWorld;
  readonly telnyx: StrictTelnyx;
  /** Delivers Telnyx's events until none is left. */
  deliver(how?: Delivery): Promise<void>;
  /** A customer's browser dials London, and its events are delivered. */
  dial(how?: Delivery): Promise<DialledCall>;
  /** Advances time: Telnyx enforces its limits, and the service runs its jobs. */
  pass(seconds: number, how?: Delivery, stepSeconds?: number): Promise<void>;
  /** Resets the habits and ends all calls. */
  reset(): void;
  close(): Promise<void>;
}

export interface DialledCall {
  readonly id: string;
  readonly customer: Customer;
  readonly browser: TelnyxLeg;
  /** The called person's leg. @throws Error if there is not exactly one */
  far(): TelnyxLeg;
}

export async function createTelnyxWorld(): Promise<TelnyxWorld> {
  let world: CallWorld | null = null;
  const telnyx = await StrictTelnyx.start(() => world?.clock.now() ?? new Date());
  const calls = (world = await createCallWorld({ limitsScale: 0, telnyx }));
  const post = async (body: string, headers: Record<string, string>) =>
    (await calls.request(null, { method: "POST", path: "/api/webhooks/telnyx", body, headers })).status;
  const self: TelnyxWorld = {
    world: calls,
    telnyx,
    deliver: (how) => telnyx.deliver(post, how),
    async dial(how) {
      const customer = await calls.customer();
      const { call, ticket } = await calls.initiate(customer);
      const browser = telnyx.calls.browserDials({ to: LONDON, from: "gencredtest", ticket });
      await self.deliver(how);
      const far = () => {
        const [leg, ...others] = telnyx.calls.far.filter(({ sessionId }) => sessionId === browser.sessionId);
        if (leg === undefined || others.length > 0) throw new Error(`${others.length + (leg ? 1 : 0)} far legs`);
        return leg;
      };
      return { id: call.id, customer, browser, far };
    },
    async pass(seconds, how, stepSeconds = STEP_SECONDS) {
      for (let passed = 0; passed < seconds; passed += stepSeconds) {
        calls.clock.advance(Math.min(stepSeconds, seconds - passed) * 1_000);
        telnyx.calls.enforceLimits();
        await self.deliver(how);
        await calls.sweep();
        await self.deliver(how);
      }
    },
    reset() {
      Object.assign(telnyx.habits, KNOWN_HABITS);
      telnyx.refused.length = 0;
      telnyx.requests.length = 0;
      telnyx.failing = () => false;
      telnyx.calls.events.length = 0;
    },
    async close() {
      await calls.close();
      await telnyx.close();
    },
  };
  return self;
}
