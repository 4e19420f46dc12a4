import { expect, test } from "vitest";
import { simulateWorld } from "./simulate-world.ts";
import type { Bug } from "./world.ts";

const WORLDS = 2_000;
/** A generous time-out, because the number of worlds is fixed and a busy machine is slow. */

test(`in ${WORLDS} worlds with crashes, outages, lost and repeated events, every money rule holds after every step`, () => {
  for (let seed = 1; seed <= WORLDS; seed++) {
    const failure = simulateWorld(seed);
    expect(failure, `seed ${seed}: ${failure?.rule}\n${failure?.trace}`).toBeNull();
  }
});

test("a world depends on its seed alone", () => {
  const bugs = new Set<Bug>(["never_sweeps"]);
  const [first, again] = [1, 2].map(() => Array.from({ length: 50 }, (_, seed) => simulateWorld(seed, bugs)));
  expect(again).toEqual(first);
});

test.each<[Bug, RegExp]>([
  ["settles_twice", /^I4/],
  ["holds_on_a_stale_balance", /^I3/],
  ["never_sweeps", /^I7/],
  ["moves_backward", /^I6/],
  ["credits_each_event", /^I4/],
  ["keeps_the_hold_of_an_unanswered_call", /^I2/],
  ["extends_before_it_holds", /^I5/],
  ["refunds_before_it_takes", /^I4/],
  ["keeps_what_a_refused_withdrawal_took", /^I4/],
  ["dials_again_under_a_new_command", /^I9/],
  ["leaves_the_ticket_of_an_ended_call_open", /^I9/],
])("the bug %s is found", (bug, rule) => {
  for (let seed = 1; seed <= WORLDS; seed++) {
    const failure = simulateWorld(seed, new Set([bug]));
    if (failure === null) continue;
    expect(failure.rule).toMatch(rule);
    return;
  }
  expect.fail(`${bug} survived ${WORLDS} worlds`);
});
