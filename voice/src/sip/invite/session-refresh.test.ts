import { PATIENCE } from "@farline/domain/test/patience.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answerCalls, fieldOf, replyTo, type SocketCarrier, startSocketCarrier } from "../../../test/socket-carrier.ts";
import { dial, OFFER, SipBench, trunkTo } from "../../../test/sip-bench.ts";

const bench = new SipBench();
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(async () => {
  await bench.end();
  vi.useRealTimers();
});

const ALLOW = "Allow: INVITE, ACK, BYE, CANCEL, UPDATE, OPTIONS";
const HALF_OF_90_S = 45_000;

/** A carrier that answers with a session timer for us to refresh, and treats refreshes as `refresh` says; null for no response. */
async function refreshedCall(refresh: (message: string) => string | null, terms = "90;refresher=uac", allow = ALLOW) {
  let invites = 0;
  const far: SocketCarrier = await startSocketCarrier("udp", (message, send) => {
    const headers = [`Contact: <sip:c@127.0.0.1:${far.port}>`, allow, `Session-Expires: ${terms}`];
    if (message.startsWith("INVITE ") && (invites += 1) === 1) send(replyTo(message, "200 OK", { headers, sdp: OFFER }));
    else if (/^(INVITE|UPDATE) /.test(message)) answer(refresh(message), send);
    else answerCalls(OFFER, far.port)(message, send);
  });
  bench.add(() => far.close());
  const { answered, heard } = dial(await bench.trunks([trunkTo(far.port)]));
  await answered;
  const refreshes = (): string[] => far.heard.filter((message) => /^(INVITE|UPDATE) /.test(message)).slice(1);
  return { far, heard, refreshes };
}

function answer(response: string | null, send: (text: string) => void): void {
  if (response !== null) send(response);
}

const accepted = (message: string): string =>
  replyTo(message, "200 OK", { headers: ["Session-Expires: 90;refresher=uac"], sdp: message.startsWith("INVITE ") ? OFFER : "" });

describe("a refresh of the session", () => {
  it("takes the far end's minimum after 422, and keeps it", async () => {
    const { refreshes, heard } = await refreshedCall((message) =>
      fieldOf(message, "Min-SE") === "600"
        ? accepted(message)
        : replyTo(message, "422 Session Interval Too Small", { headers: ["Min-SE: 600"] }),
    );
    await vi.advanceTimersByTimeAsync(HALF_OF_90_S);
    await vi.waitFor(() => expect(refreshes()).toHaveLength(2), PATIENCE);
    expect(fieldOf(refreshes()[1] ?? "", "Session-Expires")).toBe("600;refresher=uac");
    await vi.advanceTimersByTimeAsync(HALF_OF_90_S);
    await vi.waitFor(() => expect(refreshes()).toHaveLength(3), PATIENCE);
    expect(fieldOf(refreshes()[2] ?? "", "Min-SE")).toBe("600");
    expect(heard).toEqual(["answer"]);
  });

  it("that gets 422 again and again is not repeated in a loop", async () => {
    const { refreshes } = await refreshedCall((message) => replyTo(message, "422 Too Small", { headers: ["Min-SE: 600"] }));
    await vi.advanceTimersByTimeAsync(HALF_OF_90_S);
    await vi.waitFor(() => expect(refreshes()).toHaveLength(2), PATIENCE);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(refreshes()).toHaveLength(2);
  });

  it.each([405, 488, 501])("goes on by UPDATE, without a description, after %i to a re-INVITE", async (status) => {
    const { refreshes, heard } = await refreshedCall((message) =>
      message.startsWith("UPDATE ") ? accepted(message) : replyTo(message, `${status} No`),
    );
    for (const count of [2, 3]) {
      await vi.advanceTimersByTimeAsync(HALF_OF_90_S);
      await vi.waitFor(() => expect(refreshes()).toHaveLength(count), PATIENCE);
    }
    expect(refreshes().map((message) => message.split(" ")[0])).toEqual(["INVITE", "UPDATE", "UPDATE"]);
    expect(fieldOf(refreshes()[1] ?? "", "Content-Length")).toBe("0");
    expect(heard).toEqual(["answer"]);
  });

  it("does not use UPDATE where the far end does not allow it", async () => {
    const { refreshes } = await refreshedCall((message) => replyTo(message, "488 No"), "90;refresher=uac", "Allow: INVITE, BYE");
    await vi.advanceTimersByTimeAsync(HALF_OF_90_S);
    await vi.waitFor(() => expect(refreshes()).toHaveLength(1), PATIENCE);
    expect(refreshes()[0]).toMatch(/^INVITE /);
  });

  it.each([
    ["re-INVITE", () => null],
    ["UPDATE", (message: string) => (message.startsWith("INVITE ") ? replyTo(message, "488 No") : null)],
  ])(
    "by %s without any response ends the call by BYE once it has timed out, long before the session would",
    async (_, refresh) => {
      const { far, refreshes, heard } = await refreshedCall(refresh, "1800;refresher=uac");
      await vi.advanceTimersByTimeAsync(900_000);
      await vi.waitFor(() => expect(refreshes().length).toBeGreaterThan(0), PATIENCE);
      await vi.advanceTimersByTimeAsync(31_000);
      expect(heard).toEqual(["answer"]);
      await vi.advanceTimersByTimeAsync(2_000);
      await vi.waitFor(() => expect(far.heard.at(-1)).toMatch(/^BYE /), PATIENCE);
      expect(heard).toEqual(["answer", "end"]);
    },
  );

  it("is made in time for a far end that states less than the protocol's minimum", async () => {
    const { refreshes } = await refreshedCall(accepted, "60;refresher=uac");
    await vi.advanceTimersByTimeAsync(30_000);
    await vi.waitFor(() => expect(refreshes()).toHaveLength(1), PATIENCE);
  });
});
