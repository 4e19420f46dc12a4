import { describe, expect, it } from "vitest";
import { createBench, ghana } from "../../../test/scripted-line.ts";
import { inScriptedTab, pass } from "../../../test/scripted-tab.ts";
import { ServiceRefusal } from "./call-service.ts";

inScriptedTab();

describe("dialling while the service decides", () => {
  /** A page that has dialled, and a service that has not decided. */
  async function undecided() {
    const bench = createBench();
    bench.microphone.permit("granted");
    const decision = Promise.withResolvers<void>();
    bench.service.initiateWaits = decision.promise;
    await bench.phone.prepare();
    bench.phone.dial(ghana);
    await pass(0);
    return { bench, decide: async () => (decision.resolve(), pass(0)) };
  }

  it("dials with the ticket of the request, and shows nothing before the decision", async () => {
    const { bench, decide } = await undecided();
    expect(bench.log).toEqual(["connect", "initiate", "newCall +233200000142 from +15550001111"]);
    bench.client().ring(bench.call());
    bench.call().change("trying");
    bench.call().change("early");
    expect(bench.phone.state).toMatchObject({ status: "initializing", call: { callId: null } });
    await decide();
    expect(bench.client().tickets).toEqual(bench.service.tickets);
    expect(bench.phone.state).toMatchObject({ status: "ringing", call: { callId: "call-1" } });
  });

  it("does not say that the far phone rings because our exchange answered before the service", async () => {
    const { bench, decide } = await undecided();
    bench.client().park(bench.call());
    bench.call().change("early");
    await decide();
    expect(bench.phone.state).toMatchObject({ status: "initializing", call: { callId: "call-1" } });
    bench.client().farRings(bench.call());
    expect(bench.phone.state.status).toBe("ringing");
    expect(bench.log.at(-1)).toBe("ring");
  });

  it("rings at once if the far phone rings before the service answers", async () => {
    const { bench, decide } = await undecided();
    bench.client().farRings(bench.call());
    expect(bench.log).not.toContain("ring");
    await decide();
    expect(bench.log.at(-1)).toBe("ring");
  });

  it("hangs up at once after a refusal, and shows the service's message whatever the line reported", async () => {
    const { bench, decide } = await undecided();
    bench.service.refuse = new ServiceRefusal({ status: 402, code: "insufficient_credit", message: "Too little credit." });
    bench.client().ring(bench.call());
    bench.call().change("early");
    const seen: string[] = [];
    bench.phone.subscribe(() => seen.push(bench.phone.state.status));
    await decide();
    expect(bench.call().state).toBe("destroy");
    expect(bench.phone.state).toMatchObject({ status: "idle", error: { message: "Too little credit." } });
    expect(seen).not.toContain("ringing");
    expect(bench.log).not.toContain("microphone");
  });

  it("opens the microphone once the leg is offered, before the decision, and closes it after a refusal", async () => {
    const { bench, decide } = await undecided();
    expect(bench.log).not.toContain("microphone");
    bench.call().connection.dispatchEvent(new Event("signalingstatechange"));
    await pass(0);
    expect(bench.microphone.open).toBe(2); // the microphone and the copy that the leg has
    bench.service.refuse = new ServiceRefusal({ status: 402, code: "insufficient_credit", message: "Too little credit." });
    await decide();
    expect(bench.microphone.open).toBe(0);
    expect(bench.phone.state).toMatchObject({ status: "idle", error: { message: "Too little credit." } });
  });

  it("does not keep a microphone that opens after a refusal", async () => {
    const { bench, decide } = await undecided();
    let open = (): void => undefined;
    bench.microphone.waits = new Promise((resolve) => (open = resolve));
    bench.call().connection.dispatchEvent(new Event("signalingstatechange"));
    bench.service.refuse = new ServiceRefusal({ status: 402, code: "insufficient_credit", message: "Too little credit." });
    await decide();
    open();
    await pass(0);
    expect(bench.microphone.open).toBe(0);
  });

  it("shows the service's message even if the provider ended the leg first", async () => {
    const { bench, decide } = await undecided();
    bench.service.refuse = new ServiceRefusal({ status: 409, code: "too_many_live_calls", message: "End it first." });
    bench.call().change("hangup", { cause: "CALL_REJECTED" });
    await pass(3000);
    expect(bench.phone.state.status).toBe("initializing");
    await decide();
    expect(bench.phone.state).toMatchObject({ status: "idle", error: { message: "End it first." } });
  });

  it("redials with its ticket if the leg ended while the service was deciding", async () => {
    const { bench, decide } = await undecided();
    bench.call().change("hangup", { cause: "CALL_REJECTED" });
    await decide();
    const [first, second] = bench.client().calls;
    expect(second?.id).not.toBe(first?.id);
    expect(bench.client().tickets).toEqual([bench.service.tickets[0], bench.service.tickets[0]]);
    expect(second?.state).toBe("requesting");
    expect(bench.phone.state).toMatchObject({ status: "initializing", call: { callId: "call-1" } });
  });

  it("hangs the leg up when the caller does, and releases the credit when it is held", async () => {
    const { bench, decide } = await undecided();
    bench.phone.hangUp();
    expect(bench.call().state).toBe("destroy");
    expect(bench.phone.state.status).toBe("ended");
    await decide();
    expect(bench.log).toContain("hangup call-1");
    expect(bench.microphone.open).toBe(0);
  });

  it("hangs the leg up and passes on the price of a call that costs more than was shown", async () => {
    const { bench, decide } = await undecided();
    const price = { ...ghana.price, rate_per_minute: "0.3250" };
    bench.service.refuse = new ServiceRefusal({
      status: 409,
      code: "price_changed",
      message: "The price is now $0.3250.",
      price,
    });
    await decide();
    expect(bench.call().state).toBe("destroy");
    expect(bench.phone.state).toMatchObject({ status: "idle", error: { serviceCode: "price_changed", price } });
  });

  it("requests the call at the price that was shown", async () => {
    const { bench } = await undecided();
    expect(bench.service.initiated).toMatchObject([
      {
        destination_number: "+233200000142",
        shown_price: { rate_per_minute: "0.1420", first_interval_s: 1, next_interval_s: 1 },
      },
    ]);
  });
});
