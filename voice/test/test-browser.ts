import { RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from "werift";
import { FRAME_SAMPLES } from "../src/media/g711.ts";

/** Longest wait for media that was promised. */
const PATIENCE_MS = 10_000;

export interface TestBrowser {
  readonly offerSdp: string;
  /** Every RTP packet heard, oldest first. */
  readonly heard: RtpPacket[];
  /** Apply the answer and resolve once audio can flow. */
  connect(answerSdp: string): Promise<void>;
  restartOffer(): Promise<string>;
  /** Apply the answer to `restartOffer` and resolve once ICE is through again. */
  restart(answerSdp: string): Promise<void>;
  /** Send one frame; `skip` leaves that many sequence numbers out first, as if they were lost. */
  send(payload: Buffer, skip?: number): Promise<void>;
  /** Resolves when at least `count` packets were heard since the last `clear`. */
  untilHeard(count: number): Promise<void>;
  clear(): void;
  close(): Promise<void>;
}

/** The browser's side of a call, played by the same WebRTC library: full ICE, DTLS client, PCMU. */
export async function openTestBrowser(): Promise<TestBrowser> {
  const connection = new RTCPeerConnection({
    codecs: { audio: [new RTCRtpCodecParameters({ mimeType: "audio/PCMU", clockRate: 8_000, channels: 1, payloadType: 0 })] },
    iceServers: [],
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: ["127.0.0.1"],
  });
  const transceiver = connection.addTransceiver("audio", { direction: "sendrecv" });
  const heard: RtpPacket[] = [];
  const waiting = new Set<() => void>();
  transceiver.onTrack.subscribe((track) => {
    track.onReceiveRtp.subscribe((packet) => {
      heard.push(packet.clone());
      for (const check of [...waiting]) check();
    });
  });
  let sequence = 65_500; // wraps soon, so that wrapping is part of every test
  let timestamp = 4_294_960_000;
  await connection.setLocalDescription(await connection.createOffer());

  return {
    offerSdp: connection.localDescription?.sdp ?? "",
    heard,
    async connect(answerSdp) {
      const connected = connection.connectionStateChange.watch((state) => state === "connected", PATIENCE_MS);
      await connection.setRemoteDescription({ type: "answer", sdp: answerSdp });
      await connected;
    },
    async restart(answerSdp) {
      await connection.setRemoteDescription({ type: "answer", sdp: answerSdp });
      // With DTLS up the library would not begin to check the new candidates by itself, as a browser does.
      await connection.iceTransports[0]?.start();
    },
    async send(payload, skip = 0) {
      sequence = (sequence + 1 + skip) & 0xffff;
      timestamp = (timestamp + FRAME_SAMPLES * (1 + skip)) >>> 0;
      const header = new RtpHeader({ sequenceNumber: sequence, timestamp, payloadType: 0, ssrc: transceiver.sender.ssrc });
      await transceiver.sender.sendRtp(new RtpPacket(header, payload));
    },
    async restartOffer() {
      await connection.setLocalDescription(await connection.createOffer({ iceRestart: true }));
      return connection.localDescription?.sdp ?? "";
    },
    untilHeard(count) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`The browser heard ${heard.length} packets instead of ${count}.`));
        }, PATIENCE_MS);
        const check = (): void => {
          if (heard.length < count) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
    clear() {
      heard.length = 0;
    },
    close: () => connection.close(),
  };
}
