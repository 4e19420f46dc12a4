import { afterEach, beforeEach, expect, test } from "vitest";
import { plantFault } from "../test-database.ts";
import { createCallWorld, type CallWorld } from "../worlds/call-world.ts";
import { FamilyGame } from "./family-game.ts";

const FULL_SIZE = process.env["SECURITY_SIZE"] === "full";
const GAMES = FULL_SIZE ? 100 : 4;
/** A planted fault must be found within this many games. */
const GAMES_TO_FIND = 20;
const FIRST_SEED = Number(process.env["MONEY_GAMES_SEED"] ?? 1);
const LIMIT_MS = FULL_SIZE ? 1_200_000 : 180_000;

let world: CallWorld;
beforeEach(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterEach(() => world.close());

/** @returns the broken rule, or null */
async function playOn(games: number): Promise<string | null> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + games; seed++) {
    const broken = await new FamilyGame(world, seed).play();
    if (broken !== null) return `seed ${seed}: ${broken}`;
  }
  return null;
}

test(
  `in ${GAMES} games of families each call is paid once, by who agreed and within what they allow (seeds from ${FIRST_SEED})`,
  async () => expect(await playOn(GAMES)).toBeNull(),
  LIMIT_MS,
);

test(
  "they find limits of a family that count nothing",
  async () => {
    await plantFault(world.database.handle, "family_spending", "c.payer_id = member.owner_id", "c.payer_id = member.customer_id");
    expect(await playOn(GAMES_TO_FIND)).toMatch(/F4/);
  },
  LIMIT_MS,
);
