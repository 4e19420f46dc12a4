import { booksOf } from "@farline/e2e/support/books.ts";
import { databaseUrlOf } from "@farline/e2e/support/product.ts";
import type { Page } from "@playwright/test";
import { RINGING_LINE, clickToSound, DETECTOR_CONTEXT, listenToPage } from "./first-sound.ts";
import { withSignedInPage } from "./with-product.ts";
import { spread } from "@farline/drills/support/spread.ts";

const CALLS = 12;

/** Milliseconds from the click on Call Now to each step of a call to a ringing line: medians of warm calls, earliest first. */
export async function callMilestones(): Promise<Record<string, unknown>> {
  return await withSignedInPage(
    50,
    async ({ page, email, product }) => {
      await page.addInitScript(recordMilestones);
      await listenToPage(page);
      const free = async () => (await booksOf(email, databaseUrlOf(product))).held === 0n;
      await clickToSound(page, RINGING_LINE, free);
      const calls: Record<string, number>[] = [];
      for (let call = 0; call < CALLS; call++) {
        const audible = await clickToSound(page, RINGING_LINE, free);
        calls.push({ ...(await readMilestones(page)), "the caller hears ringback": audible });
      }
      const names = [...new Set(calls.flatMap((call) => Object.keys(call)))];
      const medians = names.map((name) => [name, spread(calls.map((call) => call[name] ?? Number.NaN)).median] as const);
      return { millisecondsAfterTheClick: Object.fromEntries(medians.toSorted(([, one], [, other]) => one - other)) };
    },
    DETECTOR_CONTEXT,
  );
}

async function readMilestones(page: Page): Promise<Record<string, number>> {
  return await page.evaluate(() => {
    const { milestones, clickedAt } = globalThis as unknown as { milestones: [string, number][]; clickedAt: number };
    const after = milestones.filter(([, at]) => at >= clickedAt);
    return Object.fromEntries(after.toReversed().map(([name, at]) => [name, Math.round(at - clickedAt)]));
  });
}

/** Runs in the page before its own scripts: records what the page sends and receives until the first sound. */
function recordMilestones(): void {
  const page = globalThis as unknown as { milestones: [string, number][]; clickedAt: number };
  page.milestones = [];
  page.clickedAt = Infinity;
  const note = (name: string) => page.milestones.push([name, performance.now()]);
  const onClick = ({ target }: Event) => {
    if (target instanceof Element && target.closest("button")?.textContent?.includes("Call Now"))
      page.clickedAt = performance.now();
  };
  addEventListener("click", onClick, { capture: true });
  const { fetch } = globalThis;
  globalThis.fetch = async (...given) => {
    const isInitiate = String(given[0] instanceof Request ? given[0].url : given[0]).includes("/api/calls/initiate");
    if (isInitiate) note("asks the service");
    const answer = await fetch(...given);
    if (isInitiate) note("the service has authorised");
    return answer;
  };
  const { getUserMedia } = MediaDevices.prototype;
  MediaDevices.prototype.getUserMedia = async function open(...given) {
    const stream = await getUserMedia.apply(this, given);
    note("the microphone is open");
    return stream;
  };
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function sendNoted(data) {
    if (typeof data === "string" && data.includes("telnyx_rtc.invite")) note("the SDK sends the invite");
    send.call(this, data);
  };
  const Socket = WebSocket;
  globalThis.WebSocket = class extends Socket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        const text = String(data);
        if (text.includes('"far_end":"ringing"')) note("the far end rings");
        else if (text.includes("telnyx_rtc.ringing")) note("the exchange has the call");
        if (text.includes("telnyx_rtc.media")) note("the exchange has answered the offer");
      });
    }
  };
  const Peer = RTCPeerConnection;
  globalThis.RTCPeerConnection = class extends Peer {
    constructor(...given: ConstructorParameters<typeof RTCPeerConnection>) {
      super(...given);
      note("the SDK makes a peer connection");
      this.addEventListener("iceconnectionstatechange", () => note(`ICE is ${this.iceConnectionState}`));
      this.addEventListener("connectionstatechange", () => note(`the peer connection is ${this.connectionState}`));
    }
  };
  const { setLocalDescription } = Peer.prototype;
  Peer.prototype.setLocalDescription = async function setNoted(...given: unknown[]) {
    note("the SDK has an offer");
    await Reflect.apply(setLocalDescription, this, given);
  };
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function startNoted(...given) {
    note("the page rings");
    start.apply(this, given);
  };
}
