import { expect, it } from "vitest";
import { connected, createBench } from "../../test/scripted-line.ts";
import { inScriptedTab, pass } from "../../test/scripted-tab.ts";

inScriptedTab();

it("says that nothing is heard from the other side after 8 s without a packet, until one arrives", async () => {
  const bench = createBench();
  await connected(bench);
  const nothingHeard = () => bench.phone.state.call?.nothingHeard;
  await pass(10_000);
  expect(nothingHeard()).toBe(false);
  let packets = 1_000;
  bench.call().packetsReceived = () => packets;
  await pass(7_999);
  expect(nothingHeard()).toBe(false);
  await pass(1);
  expect(nothingHeard()).toBe(true);
  packets += 1;
  await pass(2_000);
  expect(nothingHeard()).toBe(false);
});
