import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import {
  type Connection,
  keyLength,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RtpHeader,
  RtpPacket,
  type RTCRtpTransceiver,
  saltLength,
  type StunProtocol,
} from "werift";
import { askNoStunServer } from "../src/media/no-stun-server.ts";
import { HeardPackets } from "./heard-packets.ts";

const FRAMES_PER_SECOND = 50;
const PCMU = new RTCRtpCodecParameters({ mimeType: "audio/PCMU", clockRate: 8_000, channels: 1, payloadType: 0 });
const OPUS = new RTCRtpCodecParameters({ mimeType: "audio/opus", clockRate: 48_000, channels: 2, payloadType: 109 });

/** A browser's audio. */
interface Talking {
  /** All received RTP packets. */
  readonly heard: RtpPacket[];
  /** Sends one frame. `skip` omits that many sequence numbers first, as if packets were lost. */
  send(payload: Buffer, skip?: number): Promise<void>;
  /** Resolves when at least `count` packets were received since the last `clear`. */
  untilHeard(count: number): Promise<void>;
  clear(): void;
  close(): Promise<void>;
}

/** What another program needs to continue as this browser. */
export interface BrowserKeys {
  readonly port: number;
  /** RFC 5764 §4.1.2, RFC 7714 §14.2. */
  readonly srtpProfile: number;
  /** Master key and salt. */
  readonly sendKey: Buffer;
  readonly receiveKey: Buffer;
}

export interface TestBrowser extends Talking {
  readonly offerSdp: string;
  /** Applies the answer and resolves once connected. */
  connect(answerSdp: string): Promise<void>;
  restartOffer(): Promise<string>;
  /** Applies the answer to `restartOffer` and resolves once ICE is connected again. */
  restart(answerSdp: string): Promise<void>;
  /** Stops without closing the transport, and frees its port for another program. */
  handOver(): BrowserKeys;
}

export interface AnsweringBrowser extends Talking {
  readonly answerSdp: string;
  /** Resolves once connected. */
  readonly connected: Promise<unknown>;
  /** Whether a connectivity check was answered, which can be before our side has this browser's SDP. */
  readonly isChecked: () => boolean;
}

/** Resolves once connected. A test that closes the browser earlier may ignore the promise. */
function untilConnected(connection: RTCPeerConnection): Promise<unknown> {
  const connected = connection.connectionStateChange.watch((state) => state === "connected", PATIENCE_MS);
  connected.catch(() => undefined);
  return connected;
}

function newConnection(hasOpus: boolean): RTCPeerConnection {
  return new RTCPeerConnection({
    codecs: { audio: hasOpus ? [OPUS, PCMU] : [PCMU] },
    iceServers: [],
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: ["127.0.0.1"],
  });
}

function talk(connection: RTCPeerConnection, transceiver: RTCRtpTransceiver): Talking {
  askNoStunServer(connection);
  const packets = new HeardPackets<RtpPacket>();
  // Not from the track: werift drops sources that the SDP did not announce, and a relay announces none.
  transceiver.dtlsTransport.onRtp.subscribe((packet) => packets.add(packet.clone()));
  let sequence = 65_500; // wraps soon, so that every test covers wrapping
  let timestamp = 4_294_960_000;

  return {
    heard: packets.heard,
    async send(payload, skip = 0) {
      sequence = (sequence + 1 + skip) & 0xffff;
      const { clockRate, payloadType } = transceiver.codecs[0] ?? PCMU;
      timestamp = (timestamp + (clockRate / FRAMES_PER_SECOND) * (1 + skip)) >>> 0;
      const header = new RtpHeader({ sequenceNumber: sequence, timestamp, payloadType, ssrc: transceiver.sender.ssrc });
      await transceiver.sender.sendRtp(new RtpPacket(header, payload));
    },
    untilHeard: (count) => packets.untilHeard(count),
    clear: () => packets.clear(),
    close: () => connection.close(),
  };
}

/** A browser played by werift: full ICE, DTLS client, PCMU, and Opus on request. */
export async function openTestBrowser(hasOpus = false): Promise<TestBrowser> {
  const connection = newConnection(hasOpus);
  const talking = talk(connection, connection.addTransceiver("audio", { direction: "sendrecv" }));
  await connection.setLocalDescription(await connection.createOffer());
  return {
    ...talking,
    offerSdp: connection.localDescription?.sdp ?? "",
    async connect(answerSdp) {
      const connected = untilConnected(connection);
      await connection.setRemoteDescription({ type: "answer", sdp: answerSdp });
      await connected;
    },
    async restart(answerSdp) {
      await connection.setRemoteDescription({ type: "answer", sdp: answerSdp });
      // With DTLS up, werift does not check new candidates, unlike a browser.
      await connection.iceTransports[0]?.start();
    },
    async restartOffer() {
      await connection.setLocalDescription(await connection.createOffer({ iceRestart: true }));
      return connection.localDescription?.sdp ?? "";
    },
    handOver: () => handOver(connection),
  };
}

function handOver(connection: RTCPeerConnection): BrowserKeys {
  const transport = connection.dtlsTransports[0];
  const srtpProfile = transport?.dtls?.srtp.srtpProfile;
  if (transport?.dtls === undefined || srtpProfile === undefined) throw new Error("The browser is not connected.");
  const keys = transport.dtls.extractSessionKeys(keyLength(srtpProfile), saltLength(srtpProfile));
  const ice = transport.iceTransport.connection as Connection;
  // Not part of werift's public types; its version is pinned.
  const { socket } = ((ice as unknown as { protocols: StunProtocol[] }).protocols[0] as StunProtocol).transport;
  const { port } = socket.address();
  socket.close();
  return {
    port,
    srtpProfile,
    sendKey: Buffer.concat([keys.localKey, keys.localSalt]),
    receiveKey: Buffer.concat([keys.remoteKey, keys.remoteSalt]),
  };
}

/** A browser that answers our offer, as after a reload. */
export async function openAnsweringBrowser(offerSdp: string, hasOpus = false): Promise<AnsweringBrowser> {
  const connection = newConnection(hasOpus);
  const talking = talk(connection, connection.addTransceiver("audio", { direction: "sendrecv" }));
  const connected = untilConnected(connection);
  await connection.setRemoteDescription({ type: "offer", sdp: offerSdp });
  // werift always answers as the DTLS client; browsers follow the offer (RFC 5763 §5).
  const transport = connection.dtlsTransports[0];
  if (transport !== undefined && /^a=setup:active\b/m.test(offerSdp)) transport.role = "server";
  await connection.setLocalDescription(await connection.createAnswer());
  return {
    ...talking,
    answerSdp: connection.localDescription?.sdp ?? "",
    connected,
    isChecked: () => connection.iceTransports[0]?.connection.checkList.some((pair) => pair.responsesReceived > 0) ?? false,
  };
}
