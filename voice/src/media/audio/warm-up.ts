import { RTCPeerConnection, RTCRtpCodecParameters } from "werift";
import { BrowserPeer } from "../browser-peer.ts";
import { askNoStunServer } from "../no-stun-server.ts";

const WARM_UP_TIMEOUT_MS = 5_000;

/**
 * Makes one loopback call, which creates the certificate and compiles the hot code. Saves the first caller up to 400 ms.
 */
export async function warmUp(address: string): Promise<void> {
  const browser = new RTCPeerConnection({
    codecs: { audio: [new RTCRtpCodecParameters({ mimeType: "audio/PCMU", clockRate: 8_000, channels: 1, payloadType: 0 })] },
    iceServers: [],
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceUseTcp: false,
    iceAdditionalHostAddresses: [address],
    iceInterfaceAddresses: { udp4: address, udp6: address },
  });
  const connected = Promise.withResolvers<void>();
  connected.promise.catch(() => undefined); // it may fail before it is awaited
  const timer = setTimeout(() => connected.reject(new Error("The warm-up call did not connect.")), WARM_UP_TIMEOUT_MS);
  browser.addTransceiver("audio", { direction: "sendrecv" });
  askNoStunServer(browser);
  await browser.setLocalDescription(await browser.createOffer());
  const { peer, answerSdp } = await BrowserPeer.answer(
    browser.localDescription?.sdp ?? "",
    { address: { bound: address, announced: address }, port: null, codec: "g711" },
    {
      rtp: () => undefined,
      rtcp: () => undefined,
      reached: () => undefined,
      connected: connected.resolve,
      failed: () => connected.reject(new Error("The warm-up call failed.")),
      closing: () => undefined,
      refused: () => undefined,
    },
  );
  try {
    await browser.setRemoteDescription({ type: "answer", sdp: answerSdp });
    await connected.promise;
  } finally {
    clearTimeout(timer);
    await peer.close();
    await browser.close();
  }
}
