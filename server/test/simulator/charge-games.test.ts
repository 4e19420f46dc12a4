import { afterAll, beforeAll, afterEach, expect, test } from "vitest";
import { AutoTopUpWorld } from "../worlds/auto-top-up-world.ts";
import { ChargeGame } from "./charge-game.ts";

const FULL_SIZE = process.env["SECURITY_SIZE"] === "full";
const GAMES = FULL_SIZE ? 40 : 3;
const FIRST_SEED = Number(process.env["MONEY_GAMES_SEED"] ?? 1);
const LIMIT_MS = FULL_SIZE ? 1_200_000 : 180_000;

let world: AutoTopUpWorld;
beforeAll(async () => {
  world = await AutoTopUpWorld.start();
});
afterEach(() => world.calm());
afterAll(() => world.close());

test(
  `in ${GAMES} games a card pays once for what is credited, and only what its owner wants (seeds from ${FIRST_SEED})`,
  async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + GAMES; seed++) {
      const broken = await new ChargeGame(world, seed).play();
      expect(broken === null ? null : `seed ${seed}: ${broken}`).toBeNull();
    }
  },
  LIMIT_MS,
);
