import * as quirks from "./carrier-quirks.ts";
import type { LineBehaviour, TestNumber } from "./line-behaviour.ts";

const BLOCK = "+4420794600";

const rings: LineBehaviour = { ringing: "early-media", ringMs: "usual", outcome: { kind: "answer", play: "greeting-then-echo" } };

/** Numbers behind difficult carriers: what real ones send, each by itself. */
export const carrierNumbers: readonly TestNumber[] = [
  number(
    "11",
    "Answer in parts",
    "Its 183 and 200 carry the session description beside a part for the telephone network.",
    quirks.multipart,
  ),
  number("12", "Two codecs in the answer", "Answers with PCMU and PCMA, and sends PCMA.", quirks.severalCodecs),
  {
    ...number(
      "13",
      "Moves when answered",
      "The Contact of its 180 leads nowhere; that of its 200 is right.",
      quirks.movesContact,
    ),
    behaviour: { ...rings, ringing: "signal-only", quirks: quirks.movesContact },
  },
  number("14", "Moves before the answer", "Sends a reliable 183, moves its sound to another port by UPDATE, and then answers.", {
    movesBeforeAnswer: true,
  }),
  refusal("15", "Unallocated in the network", {
    status: 404,
    phrase: "Not Found",
    reason: 'Q.850;cause=3;text="No route to destination"',
  }),
  refusal("16", "No circuit", {
    status: 480,
    phrase: "Temporarily Unavailable",
    reason: 'Q.850;cause=34;text="No circuit available"',
  }),
  refusal("17", "Network out of order", { status: 480, phrase: "Temporarily Unavailable", reason: "Q.850;cause=38" }),
  {
    ...number("18", "Hangs up under another name", "Hangs up after a second; its BYE names another user.", quirks.otherUser),
    behaviour: {
      ...rings,
      quirks: quirks.otherUser,
      outcome: { kind: "answer", play: "greeting-then-echo", hangUpAfterMs: 1000 },
    },
  },
  refusal("19", "Two reasons", {
    status: 480,
    phrase: "Temporarily Unavailable",
    reason: 'SIP;cause=480;text="Gone, for now", Q.850;cause=34;text="No circuit available"',
  }),
  number("20", "Folded headers", "Its Via and Call-ID go over two lines.", quirks.folded),
  number("21", "Credentials", "Demands credentials by MD5 or SHA-256 (user and password: sandbox).", { credentials: "server" }),
  number("22", "Credentials twice", "A proxy demands credentials with 407, then the server with 401.", {
    credentials: "proxy-then-server",
  }),
  number("23", "Credentials once", "Refuses credentials that were used before with 403.", { credentials: "single-use" }),
  number("24", "Answer over IPv6", "Answers with an IPv6 address, which an exchange without IPv6 cannot use.", quirks.ipv6Answer),
  number("25", "Contact by name", "Its Contact is a host name.", quirks.namedContact),
  number("26", "Strict router", "A proxy of the old kind, without lr, is on the way.", quirks.strictRouter),
  number("27", "Bare answer", "Its responses have no To tag and no Content-Type.", quirks.bareAnswer),
  number("28", "No phrases", "Its status lines end with the number.", quirks.noPhrase),
  number("29", "Long headers", "Its responses have 9,000 characters of headers.", quirks.longHeaders),
  {
    ...refusal("30", "Ported number", { status: 302, phrase: "Moved Temporarily" }),
    description: "Redirects to a ported number (npdi, rn) in its own network.",
    behaviour: { ...refusing(302, "Moved Temporarily"), quirks: quirks.redirect },
  },
  number("31", "Sound that moves", "Its sound comes from another port after one second and again after two.", {
    movesAfterMs: [1000, 2000],
  }),
  number(
    "32",
    "Refresh refused once",
    "Agrees to refresh the session within 90 seconds and refuses the first refresh with 491.",
    {
      refusesFirstRefresh: true,
    },
  ),
  {
    ...refusal("33", "Come back later", { status: 503, phrase: "Service Unavailable" }),
    behaviour: { ...refusing(503, "Service Unavailable", { "retry-after": ["30 (maintenance)"] }) },
    description: "Rejected at once: come back in 30 seconds (503 with Retry-After).",
  },
  ...[
    ["401", "Unauthorized"],
    ["402", "Payment Required"],
    ["403", "Forbidden"],
    ["407", "Proxy Authentication Required"],
    ["415", "Unsupported Media Type"],
    ["429", "Provide Referrer Identity"],
    ["483", "Too Many Hops"],
    ["488", "Not Acceptable Here"],
    ["608", "Rejected"],
  ].map(([status, reason]): TestNumber => ({
    number: `+442079460${status}`,
    title: `Carrier refuses: ${status}`,
    description: `Rejected at once by the carrier: ${reason} (${status}).`,
    behaviour: refusing(Number(status), reason ?? ""),
  })),
];

function number(digits: string, title: string, description: string, quirk: quirks.Quirks): TestNumber {
  return { number: `${BLOCK}${digits}`, title, description, behaviour: { ...rings, quirks: quirk } };
}

function refusal(digits: string, title: string, outcome: { status: number; phrase: string; reason?: string }): TestNumber {
  const { status, phrase, reason } = outcome;
  return {
    number: `${BLOCK}${digits}`,
    title,
    description: `Rejected at once: ${phrase} (${status})${reason === undefined ? "" : ` with the reason ${reason}`}.`,
    behaviour: refusing(status, phrase, reason === undefined ? {} : { reason: [reason] }),
  };
}

function refusing(status: number, reason: string, headers: Record<string, readonly string[]> = {}): LineBehaviour {
  return { ringing: "none", ringMs: 0, outcome: { kind: "refuse", status, reason, headers } };
}
