import type { Page } from "@playwright/test";
import { poll } from "./poll.ts";

interface Watched {
  peers: RTCPeerConnection[];
  tracks: MediaStreamTrack[];
  asked: number;
}

/** Counts the page's microphone requests and keeps its peer connections. Call it before the page is opened. */
export async function watchMedia(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const scope = window as unknown as Watched;
    scope.peers = [];
    scope.tracks = [];
    scope.asked = 0;
    const Original = window.RTCPeerConnection;
    window.RTCPeerConnection = class extends Original {
      constructor(configuration?: RTCConfiguration) {
        super(configuration);
        scope.peers.push(this);
      }
    };
    const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      scope.asked += 1;
      const stream = await ask(constraints);
      scope.tracks.push(...stream.getTracks());
      return stream;
    };
  });
}

const openMicrophones = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as Watched).tracks.filter(({ readyState }) => readyState === "live").length);

/** Waits until this many microphones are open. */
export async function expectOpenMicrophones(page: Page, count: number): Promise<void> {
  await poll(() => openMicrophones(page)).toBe(count);
}

/** The number of microphone requests so far. */
export async function microphoneRequests(page: Page): Promise<number> {
  return await page.evaluate(() => (window as unknown as Watched).asked);
}

/** Cuts all media of the page, as when its network breaks. */
export async function closePeers(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const peer of (window as unknown as Watched).peers) peer.close();
  });
}

/** From the next page on, the browser says that it asks before it opens the microphone. The tests' browsers never do. */
export async function askForMicrophone(page: Page): Promise<void> {
  await page.addInitScript(() => {
    navigator.permissions.query = async () => Object.assign(new EventTarget(), { state: "prompt" }) as PermissionStatus;
  });
}
