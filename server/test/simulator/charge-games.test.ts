import { afterEach, beforeEach, expect, test } from "vitest";
import { plantFault } from "../test-database.ts";
import { AutoTopUpWorld } from "../worlds/auto-top-up-world.ts";
import { ChargeGame } from "./charge-game.ts";

const FULL_SIZE = process.env["SECURITY_SIZE"] === "full";
const GAMES = FULL_SIZE ? 40 : 3;
const FIRST_SEED = Number(process.env["MONEY_GAMES_SEED"] ?? 1);
const LIMIT_MS = FULL_SIZE ? 1_200_000 : 180_000;

/** A planted fault must be found within this many games. */
const GAMES_TO_FIND = 5;

let world: AutoTopUpWorld;
beforeEach(async () => {
  world = await AutoTopUpWorld.start();
});
afterEach(() => world.close());

/** @returns the broken rule, or null */
async function playOn(games: number): Promise<string | null> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + games; seed++) {
    const broken = await new ChargeGame(world, seed).play();
    if (broken !== null) return `seed ${seed}: ${broken}`;
  }
  return null;
}

test(
  `in ${GAMES} games a card pays once for what is credited, and only what its owner wants (seeds from ${FIRST_SEED})`,
  async () => {
    expect(await playOn(GAMES)).toBeNull();
    await world.calm();
  },
  LIMIT_MS,
);

test(
  "they find credit that no card has paid",
  async () => {
    const right = "p_key, p_kind, p_amount_micros,";
    await plantFault(world.database.handle, "post_credit", right, right.replace("p_amount", "2 * p_amount"));
    expect(await playOn(GAMES_TO_FIND)).toMatch(/C1/);
  },
  LIMIT_MS,
);
