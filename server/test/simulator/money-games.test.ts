import { GUEST_GIFTS } from "@farline/domain/business/guest-gifts.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterEach, expect, test } from "vitest";
import { SILENCE_BUDGETS } from "@farline/domain/calls/forgiven-silence.ts";
import { REFUND_RULE } from "../../src/calls/details/refund-rule.ts";
import { DISPUTE_STAGES, type DisputeStage } from "../../src/billing/record/dispute-stage.ts";
import { plantFault } from "../test-database.ts";
import { BillingWorld } from "../worlds/billing-world.ts";
import { GuestGame } from "./guest-game.ts";
import { MoneyGame, type MoneyGameRules } from "./money-game.ts";

const FULL_SIZE = process.env["SECURITY_SIZE"] === "full";
const GAMES = FULL_SIZE ? 100 : 8;
const GUEST_GAMES = FULL_SIZE ? 400 : 8;
/** A planted fault must be found within this many games. */
const GAMES_TO_FIND = 40;
const FIRST_SEED = Number(process.env["MONEY_GAMES_SEED"] ?? 1);
const LIMIT_MS = FULL_SIZE ? 1_200_000 : 300_000;

let world: BillingWorld;
afterEach(() => world.close());

async function start(): Promise<void> {
  world = await BillingWorld.start();
  const now = world.service.clock.now();
  await sql`insert into promo_campaign (id, code, kind, bonus_percent, starts_at, created_at)
     values (gen_random_uuid(), 'GAME', 'percent', 20, ${now}, ${now})`.execute(world.database.handle.db);
}

type Mixture = Pick<MoneyGameRules, "disputes" | "families" | "gives">;
const NOTHING: Mixture = { disputes: false, families: false, gives: false };

/**
 * Eight games in turn have each mixture of disputes, families and gifts once.
 * @param only the mixture that can find a planted fault. Then moves follow each other, so that the seed alone decides whether they do
 */
async function playOn(games: number, only: Mixture | null = null): Promise<string | null> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + games; seed++) {
    const mixture = only ?? { disputes: seed % 2 === 0, families: seed % 4 < 2, gives: seed % 8 > 3 };
    const broken = await new MoneyGame(world, { seed, ...mixture, atOnce: only === null }).play();
    if (broken !== null) return `seed ${seed}: ${broken}`;
  }
  return null;
}

test(
  `in ${GAMES} games nobody gains more than was paid in and promised (seeds from ${FIRST_SEED})`,
  async () => {
    await start();
    expect(await playOn(GAMES)).toBeNull();
  },
  LIMIT_MS,
);

/** Three quarters with moves that follow each other, because then more can be said of each. */
async function guestsPlay(games: number): Promise<string | null> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + games; seed++) {
    const broken = await new GuestGame(world, { seed, atOnce: seed % 4 === 0 }).play();
    if (broken !== null) return `seed ${seed}: ${broken}`;
  }
  return null;
}

test(
  `in ${GUEST_GAMES} games of guests each payment becomes credit that is never money, or returns to its card (seeds from ${FIRST_SEED})`,
  async () => {
    world = await BillingWorld.start({ limitsScale: 1, live: true });
    expect(await guestsPlay(GUEST_GAMES)).toBeNull();
  },
  LIMIT_MS,
);

const plant = (name: string, right: string, wrong: string) => plantFault(world.database.handle, name, right, wrong);

const [rule, budgets, stages, gifts] = [{ ...REFUND_RULE }, { ...SILENCE_BUDGETS }, { ...DISPUTE_STAGES }, { ...GUEST_GIFTS }];
afterEach(() => {
  Object.assign(GUEST_GIFTS, gifts);
  Object.assign(REFUND_RULE, rule);
  Object.assign(SILENCE_BUDGETS, budgets);
  Object.assign(DISPUTE_STAGES, stages);
});

/** As if a status of the provider's meant another stage. */
function misread(status: string, stage: Exclude<DisputeStage, "unknown">): Promise<void> {
  Object.assign(DISPUTE_STAGES, { [status]: stage });
  return Promise.resolve();
}

/** As if the call's data were enough to prove silence. */
function refundAtOnce(): Promise<void> {
  Object.assign(REFUND_RULE, { historyTimes: 0n, tiers: ["unverified", "new", "known", "trusted"] });
  return Promise.resolve();
}

/** As if customers never fell silent on purpose. */
function forgiveAlways(): Promise<void> {
  const without = 1_000_000_000n;
  Object.assign(SILENCE_BUDGETS, { perAccountMicros: without, perNumberMicros: without, inAllMicros: without });
  return Promise.resolve();
}

/** As if the bounds of what guests give, or of how long it waits, were others. */
test.each<[string, RegExp, () => Promise<void>]>([
  [
    "a receiver without bounds",
    /G8/,
    () => Promise.resolve(void Object.assign(GUEST_GIFTS, { perDayMicros: 10n ** 12n, perMonthMicros: 10n ** 12n })),
  ],
  [
    "credit that waits longer than it may",
    /G10/,
    () => Promise.resolve(void Object.assign(GUEST_GIFTS, { heldForMs: 30 * DAY_MS })),
  ],
])(
  "of guests finds %s",
  async (_name, rule, fault) => {
    world = await BillingWorld.start({ limitsScale: 1, live: true });
    await fault();
    expect(await guestsPlay(GAMES_TO_FIND / 2)).toMatch(rule);
  },
  LIMIT_MS,
);

test.each<[string, RegExp, Mixture, () => Promise<void>]>([
  ["used bonus that nobody pays for", /G1/, NOTHING, () => plant("return_bonus", "of_bonus + least(", "of_bonus + 0 * least(")],
  [
    "payments that count after they went back",
    /G3/,
    NOTHING,
    () => plant("tier_facts", "p.stayed_micros >= p_least_micros", "true"),
  ],
  ["silence that is taken for proof", /G2/, NOTHING, refundAtOnce],
  ["silence that is free without a budget", /G4/, NOTHING, forgiveAlways],
  [
    "limits of a family that count nothing",
    /G5/,
    { ...NOTHING, families: true },
    () => plant("family_spending", "c.payer_id = member.owner_id", "c.payer_id = member.customer_id"),
  ],
  [
    "credit of somebody else that is withdrawn",
    /G6/,
    { ...NOTHING, gives: true },
    () => plant("payment_left", "where gift.payment_id = p.id", "where gift.payment_id <> p.id and false"),
  ],
  ["an inquiry that takes money", /G7/, { ...NOTHING, disputes: true }, () => misread("warning_needs_response", "open")],
  [
    "a lost dispute whose money is returned while it is appealed",
    /G7/,
    { ...NOTHING, disputes: true },
    () => misread("appeal_needs_response", "kept"),
  ],
])(
  "finds %s",
  async (_name, rule, mixture, fault) => {
    await start();
    await fault();
    expect(await playOn(GAMES_TO_FIND, mixture)).toMatch(rule);
  },
  LIMIT_MS,
);
