import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { request } from "../../test/message-samples.ts";
import { responseTo } from "../message/response.ts";
import {
  answerOffer,
  mayOffer,
  offer,
  offerAgain,
  type OfferAnswer,
  offeredInInvite,
  onRequest,
  onResponse,
  nextDescription,
} from "./offer-answer.ts";
import { orderOf, rackHeaders, rseqOf } from "./reliable-responses.ts";

const first = offeredInInvite(1);
const inInvite = { method: "INVITE", number: 1, hasSdp: true };
const settled = onResponse(first, inInvite, 200, false).state;
const update = { method: "UPDATE", number: 5, hasSdp: true };
const kindOf = (state: OfferAnswer, message: Parameters<typeof onRequest>[1]) => {
  const { verdict } = onRequest(state, message, 0.5);
  return verdict.kind === "refuse" ? verdict.status : verdict.kind;
};

describe("the first offer", () => {
  it("is answered by the 2xx, or before by a reliable 18x", () => {
    expect(onResponse(first, inInvite, 200, false).meaning).toBe("answer");
    const early = onResponse(first, inInvite, 183, true);
    expect(early.meaning).toBe("answer");
    expect(onResponse(early.state, inInvite, 200, false).meaning).toBe("none");
  });

  it("is not answered by an unreliable 18x, whose SDP is early media", () => {
    const { state, meaning } = onResponse(first, inInvite, 183, false);
    expect(meaning).toBe("preview");
    expect(onResponse(state, inInvite, 200, false).meaning).toBe("answer");
  });

  it("counts as answered by a 2xx without SDP, but not by an 18x", () => {
    const silent = { ...inInvite, hasSdp: false };
    expect(mayOffer(onResponse(first, silent, 183, true).state)).toBe(false);
    expect(mayOffer(onResponse(first, silent, 200, false).state)).toBe(true);
  });

  it("is withdrawn by a refusal", () => {
    expect(onResponse(first, inInvite, 486, false).state).toEqual({ pending: null, settled: false });
  });
});

describe("an offer of the peer", () => {
  it("by UPDATE is refused before the answer, and accepted after a reliable 183 (RFC 3311 §5.2)", () => {
    expect(kindOf(first, update)).toBe(491);
    expect(kindOf(onResponse(first, inInvite, 183, false).state, update)).toBe(491);
    expect(kindOf(onResponse(first, inInvite, 183, true).state, update)).toBe("offer");
  });

  it("is refused while ours is unanswered, and with Retry-After while their last one is", () => {
    expect(kindOf(offer(settled, "INVITE", 2), update)).toBe(491);
    const { state } = onRequest(settled, update, 0);
    for (const [random, retryAfterSeconds] of [
      [0, 0],
      [0.999, 10],
    ] as const)
      expect(onRequest(state, { ...update, number: 6 }, random).verdict).toEqual({
        kind: "refuse",
        status: 500,
        retryAfterSeconds,
      });
    expect(kindOf(answerOffer(state), { ...update, number: 7 })).toBe("offer");
  });

  it("is possible again after ours was refused", () => {
    const { state } = onResponse(offer(settled, "INVITE", 2), { method: "INVITE", number: 2, hasSdp: false }, 491, false);
    expect(kindOf(state, update)).toBe("offer");
  });

  it("does not stand in an UPDATE without SDP, which is always accepted", () => {
    expect(kindOf(first, { ...update, hasSdp: false })).toBe("none");
  });
});

describe("a re-INVITE without offer", () => {
  const invite = { method: "INVITE", number: 3, hasSdp: false };

  it("is answered by our offer, whose answer is in the ACK", () => {
    expect(kindOf(settled, invite)).toBe("none");
    const offered = offer(settled, "ACK", 3);
    expect(kindOf(offered, update)).toBe(491);
    expect(kindOf(offered, { method: "ACK", number: 2, hasSdp: true })).toBe("none");
    const { state, verdict } = onRequest(offered, { method: "ACK", number: 3, hasSdp: true }, 0);
    expect(verdict).toEqual({ kind: "answer" });
    expect(mayOffer(state)).toBe(true);
    expect(kindOf(offered, { method: "ACK", number: 3, hasSdp: false })).toBe("none");
  });

  it("is refused during glare like one with an offer", () => {
    expect(kindOf(offer(settled, "INVITE", 2), invite)).toBe(491);
    expect(kindOf(onRequest(settled, update, 0).state, invite)).toBe(500);
  });
});

describe("a reliable provisional response", () => {
  const invite = request("INVITE");
  const response = (rseq: string, status = 183) =>
    responseTo(invite, status, "", {
      toTag: "theirs",
      headers: new Map([
        ["require", ["100rel"]],
        ["rseq", [rseq]],
      ]),
    });

  it("has RSeq and Require: 100rel", () => {
    expect(rseqOf(response("1"))).toBe(1);
    expect(rseqOf(responseTo(invite, 183, "", { toTag: "theirs", headers: new Map([["rseq", ["1"]]]) }))).toBeNull();
    for (const rseq of ["0", "x", "4294967296"]) expect(rseqOf(response(rseq))).toBeNull();
    for (const status of [100, 200]) expect(rseqOf(response("1", status))).toBeNull();
  });

  it("is acknowledged in order and once", () => {
    expect(orderOf(null, response("7"))).toBe("next");
    expect(orderOf(7, response("8"))).toBe("next");
    expect(orderOf(7, response("7"))).toBe("dropped");
    expect(orderOf(7, response("9"))).toBe("dropped");
    expect(rackHeaders(response("7")).get("rack")).toEqual(["7 1 INVITE"]);
  });
});

test.prop([fc.array(fc.tuple(fc.constantFrom("offer", "answer", "their offer", "our answer"), fc.boolean()), { maxLength: 40 })])(
  "at most one offer is unanswered, whatever both sides do",
  (steps) => {
    let state = settled;
    let number = 1;
    let open: "us" | "them" | null = null;
    for (const [step, accepted] of steps) {
      number += 1;
      if (step === "offer" && mayOffer(state)) {
        expect(open).toBeNull();
        state = offer(state, "INVITE", number);
        open = "us";
      } else if (step === "answer" && state.pending?.by === "us") {
        state = onResponse(state, { ...state.pending, hasSdp: true }, accepted ? 200 : 491, false).state;
        open = null;
      } else if (step === "their offer") {
        const { state: after, verdict } = onRequest(state, { ...update, number }, 0);
        expect(verdict.kind).toBe(open === null ? "offer" : "refuse");
        state = after;
        open ??= "them";
      } else if (step === "our answer" && open === "them") {
        state = answerOffer(state);
        open = null;
      }
      expect(state.pending?.by ?? null).toBe(open);
    }
  },
);

const sdp = (version: number, direction: string): string =>
  `v=0\r\no=farline 77 ${version} IN IP4 192.0.2.1\r\ns=-\r\na=${direction}\r\n`;

it("the version of our SDP rises by one with each change, and only then (RFC 3264 §8)", () => {
  const sent = ["recvonly", "recvonly", "sendrecv"].reduce(
    (all, direction) => [...all, nextDescription(all.at(-1) ?? "", sdp(1, direction))],
    [sdp(1, "sendrecv")],
  );
  expect(sent).toEqual([sdp(1, "sendrecv"), sdp(2, "recvonly"), sdp(2, "recvonly"), sdp(3, "sendrecv")]);
});

it("SDP without an origin is left alone", () => {
  expect(nextDescription(sdp(1, "sendrecv"), "v=0\r\n")).toBe("v=0\r\n");
});

describe("our offer on demand", () => {
  const audio = (formats: string, direction: string): string => `m=audio 4000 RTP/AVP ${formats}\r\na=${direction}\r\n`;
  const first = sdp(1, "x") + audio("0 8 101", "sendrecv");
  it.each([
    ["after a hold and a choice of codec", audio("8", "recvonly"), audio("0 8 101", "sendrecv")],
    [
      "with a refused line before and one after",
      `m=video 0 RTP/AVP 31\r\n${audio("8", "inactive")}m=image 0 udptl t38\r\n`,
      `m=video 0 RTP/AVP 31\r\n${audio("0 8 101", "sendrecv")}m=image 0 udptl t38\r\n`,
    ],
  ])("is the first again %s", (_, sent, expected) => {
    expect(offerAgain(sdp(4, "x") + sent, first)).toBe(sdp(5, "x") + expected);
  });

  it("has the version of before if nothing has changed", () => {
    expect(offerAgain(first, first)).toBe(first);
  });
});
