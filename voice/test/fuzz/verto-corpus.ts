const callID = "3f1c2f0e-0b6a-4d1e-9a55-0d6a0c6c2d11";
const sdp = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\n";

function request(method: string, params: Record<string, unknown>) {
  return JSON.parse(JSON.stringify({ jsonrpc: "2.0", id: `id ${method}`, method, params })) as { [key: string]: never };
}

const dialogParams = {
  callID,
  destination_number: "+442079460000",
  caller_id_name: "Ann",
  caller_id_number: "+12025550143",
  clientState: "eyJjYWxsIjoiYWJjIn0=",
  custom_headers: [{ name: "X-Call-Ref", value: "abc" }],
  audio: true,
  iceServers: [],
};

export const LOGIN = request("login", {
  login_token: "token",
  sessid: null,
  userVariables: {},
  "User-Agent": { sdkVersion: "2.27.10" },
});

/** All frames that the SDK sends. */
export const VERTO_FRAMES = {
  anonymous: request("anonymous_login", { target_id: "x", target_type: "ai_assistant" }),
  ping: request("telnyx_rtc.ping", { serno: 1_700_000_000 }),
  gatewayState: request("telnyx_rtc.gatewayState", {}),
  invite: request("telnyx_rtc.invite", { sessid: "s", sdp, trickle: true, dialogParams }),
  hold: request("telnyx_rtc.modify", { action: "hold", dialogParams }),
  toggle: request("telnyx_rtc.modify", { action: "toggleHold", callID }),
  restart: request("telnyx_rtc.modify", { action: "updateMedia", callID, sdp, dialogParams }),
  digits: request("telnyx_rtc.info", { dtmf: "12#", dialogParams }),
  attach: request("telnyx_rtc.attach", { sdp, dialogParams }),
  candidate: request("telnyx_rtc.candidate", { candidate: "candidate:1 1 udp 1 127.0.0.1 9 typ host", dialogParams }),
  endOfCandidates: request("telnyx_rtc.endOfCandidates", { endOfCandidates: true, dialogParams }),
  acknowledgement: { jsonrpc: "2.0", id: 1_001, result: { method: "telnyx_rtc.media" } },
  bye: request("telnyx_rtc.bye", { cause: "USER_BUSY", causeCode: 17, sipCode: null, dialogParams }),
} as const;
