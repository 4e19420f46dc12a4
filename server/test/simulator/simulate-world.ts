import { Books } from "./books.ts";
import { simRates } from "./call-records.ts";
import { CallService } from "./call-service.ts";
import { CardProvider } from "./card-provider.ts";
import { BrokenRule, checkFinalState, Watcher, type Scene } from "./invariants.ts";
import { PaymentService } from "./payment-service.ts";
import { VoiceProvider } from "./voice-provider.ts";
import { World, type Bug } from "./world.ts";

/** Customers act for `BUSY_MS`; then the world has `REST_MS` to become idle. */
const BUSY_MS = 60 * 60_000;
const REST_MS = 12 * 60 * 60_000;
const MICROS = 1_000_000n;

/** A world in which a rule was broken. */
export interface Failure {
  readonly seed: number;
  readonly rule: string;
  /** The last events before it. */
  readonly trace: string;
}

/** Runs the world of a seed. Returns null if every rule held after every step. */
export function simulateWorld(seed: number, bugs: ReadonlySet<Bug> = new Set()): Failure | null {
  const world = new World(seed, bugs);
  const scene = build(world);
  const watcher = new Watcher(scene);
  world.watch = () => watcher.look();
  try {
    scheduleCustomers(scene);
    world.liveUntil(BUSY_MS + REST_MS);
    checkFinalState(scene);
    return null;
  } catch (error) {
    // An unexpected refusal by the ledger counts as a broken rule too.
    const rule =
      error instanceof BrokenRule ? error.message : error instanceof Error ? `unexpected: ${error.message}` : "unexpected";
    return { seed, rule, trace: world.trace };
  }
}

function build(world: World): Scene {
  const books = new Map(
    Array.from({ length: world.random.between(1, 2) }, (_, number) => [`customer-${number + 1}`, new Books()]),
  );
  const booksOf = (customerId: string) => {
    const found = books.get(customerId);
    if (found === undefined) throw new Error(`There is no ${customerId}.`);
    return found;
  };
  const payments: PaymentService = new PaymentService(world, {
    cards: () => cards,
    booksOf,
    onCredit: (customerId) => void world.serve(`credit for ${customerId}`, () => calls.extendByCredit(customerId)),
  });
  const calls: CallService = new CallService(world, {
    voice: () => voice,
    booksOf,
    isFrozen: (customerId) => payments.frozen.has(customerId),
  });
  const voice: VoiceProvider = new VoiceProvider(world, (event) => () => calls.hear(event));
  const cards: CardProvider = new CardProvider(world, (sessionId, eventId) => () => {
    const { paymentId } = cards.session(sessionId);
    return payments.converge(paymentId, { sessionId, eventId });
  });
  return { world, books, calls, payments, voice, cards };
}

/** The customers' actions: pay, call, pay during a call, withdraw, dispute. */
function scheduleCustomers(scene: Scene): void {
  const { world, books } = scene;
  const { random } = world;
  for (const customerId of books.keys()) {
    for (let payment = random.between(1, 3); payment > 0; payment--)
      world.after(random.between(0, payment === 1 ? 1_000 : BUSY_MS), () => topUp(scene, customerId));
    for (let call = random.between(1, 5); call > 0; call--)
      world.after(random.between(5_000, BUSY_MS), () => placeCall(scene, customerId, `${customerId}-key-${call}`));
    if (random.chance(0.3)) world.after(random.between(60_000, BUSY_MS), () => requestWithdrawal(scene, customerId));
  }
}

function topUp({ world, payments, cards }: Scene, customerId: string): void {
  const { random } = world;
  const dollars = random.pick([5n, 5n, 10n, 20n]);
  const asked = { customerId, amountMicros: dollars * MICROS, bonusMicros: dollars === 20n ? MICROS : 0n };
  const goOn = (sessionId: string, paymentId: string) => {
    const fate = random.next();
    if (fate < 0.15) return; // The customer abandons the page.
    world.after(random.between(2_000, 60_000), () => {
      cards.pay(sessionId);
      const success = () => void world.serve(`${customerId} sees the success page`, () => payments.converge(paymentId));
      if (random.chance(0.7)) world.after(random.between(100, 3_000), success);
      if (fate > 0.9) world.after(random.between(10_000, 40 * 60_000), () => cards.dispute(sessionId));
      else if (fate > 0.8) world.after(random.between(10_000, 40 * 60_000), () => refundByHand(cards, sessionId));
    });
  };
  world.serve(`${customerId} tops up`, () => payments.topUp(asked, goOn));
}

/** A refund at the provider's console, without the service. */
function refundByHand(cards: CardProvider, sessionId: string): void {
  const { amountMicros } = cards.session(sessionId);
  cards.refund(`by-hand:${sessionId}`, { sessionId, orderId: null, amountMicros: amountMicros / 2n });
}

function placeCall({ world, calls, voice }: Scene, customerId: string, key: string): void {
  const { random } = world;
  const asked = { customerId, key, rate: random.pick(simRates) };
  let begun = false;
  const begin = (callId: string) => {
    if (begun || random.chance(0.1)) return; // The browser crashed in the meantime.
    begun = true;
    world.after(random.between(50, 3_000), () => voice.arrive(callId));
    // The caller cancels, often before the browser's leg arrives.
    if (random.chance(0.25))
      world.after(random.between(0, random.pick([3_000, 60_000])), () => {
        world.serve(`${customerId} hangs up ${callId}`, () => calls.hangUp(callId));
      });
  };
  const request = () => world.serve(`${customerId} calls`, () => calls.authorise(asked, begin));
  request();
  // A double click, another tab, or a page that retries without a response.
  if (random.chance(0.3)) world.after(random.between(0, 400), request);
  if (random.chance(0.2))
    world.after(random.between(0, 200), () => {
      world.serve(`${customerId} calls again`, () => calls.authorise({ ...asked, key: `${key}-2` }, begin));
    });
}

function requestWithdrawal({ world, payments }: Scene, customerId: string): void {
  const own = [...payments.payments.values()].filter((payment) => payment.customerId === customerId);
  if (own.length === 0) return;
  const { id, chargeMicros } = world.random.pick(own);
  const amount = world.random.pick([chargeMicros, chargeMicros / 2n, MICROS]);
  world.serve(`${customerId} withdraws`, () => payments.withdraw(id, amount));
}
