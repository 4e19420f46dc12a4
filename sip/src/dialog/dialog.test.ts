import { describe, expect, it } from "vitest";
import { address, request } from "../../test/message-samples.ts";
import type { SipRequest, SipResponse } from "../message/message.ts";
import { responseTo } from "../message/response.ts";
import {
  ackInDialog,
  confirmDialog,
  dialogOfRequest,
  dialogOfResponse,
  hopOf,
  isOfDialog,
  receiveInDialog,
  refreshTarget,
  requestInDialog,
} from "./dialog.ts";

const FALLBACK = "sip:carrier.example";
const invite = request("INVITE", { cseq: { number: 7, method: "INVITE" } });
const [via = never()] = request("ACK").vias;

function never(): never {
  throw new Error("A request has a Via.");
}

function reply(status: number, contact: string | null, more: { tag?: string; recordRoute?: string[] } = {}): SipResponse {
  const headers = new Map<string, string[]>();
  if (contact !== null) headers.set("contact", [`<${contact}>`]);
  if (more.recordRoute !== undefined) headers.set("record-route", more.recordRoute);
  return responseTo(invite, status, "", { toTag: more.tag ?? "theirs", headers });
}

/** A request of the peer in the dialog. */
function theirs(method: string, number: number, more: Partial<SipRequest> = {}): SipRequest {
  const { from, to } = reply(200, null);
  return request(method, { from: to, to: from, ...more, cseq: { number, method } });
}

const confirmed = dialogOfResponse(invite, reply(200, "sip:host-1"), FALLBACK);

describe("a dialog of our INVITE", () => {
  it("sends requests to the Contact by the reversed Record-Route, with rising sequence numbers", () => {
    const recordRoute = ["<sip:near.example;lr>", "<sip:far.example;lr>"];
    const dialog = dialogOfResponse(invite, reply(200, "sip:host-1", { recordRoute }), FALLBACK);
    const first = requestInDialog(dialog, { method: "UPDATE", via });
    expect(first.request).toMatchObject({
      uri: "sip:host-1",
      from: address("sip:us@carrier.example", "ours"),
      to: address("sip:+442079460000@carrier.example", "theirs"),
      callId: invite.callId,
      cseq: { number: 8, method: "UPDATE" },
    });
    expect(first.request.headers.get("route")).toEqual(["<sip:far.example;lr>", "<sip:near.example;lr>"]);
    expect(requestInDialog(first.dialog, { method: "BYE", via }).request.cseq).toEqual({ number: 9, method: "BYE" });
  });

  it("leaves headers of the Contact out of the Request-URI (RFC 3261 §19.1.1)", () => {
    const dialog = dialogOfResponse(invite, reply(200, "sip:host-1;x=1?Subject=a&Route=b"), FALLBACK);
    expect(requestInDialog(dialog, { method: "BYE", via }).request.uri).toBe("sip:host-1;x=1");
  });

  it("names a strict router in the Request-URI and the target as the last Route", () => {
    const recordRoute = ["<sip:far.example;lr>", "<sip:strict.example>"];
    const dialog = dialogOfResponse(invite, reply(200, "sip:host-1", { recordRoute }), FALLBACK);
    const { request: bye } = requestInDialog(dialog, { method: "BYE", via });
    expect(bye.uri).toBe("sip:strict.example");
    expect(hopOf(dialog)).toBe("sip:strict.example");
    expect(bye.headers.get("route")).toEqual(["<sip:far.example;lr>", "<sip:host-1>"]);
  });

  it("takes the answer's Contact and route, which win over those of the ringing", () => {
    const ringing = dialogOfResponse(invite, reply(180, "sip:proxy", { recordRoute: ["<sip:old;lr>"] }), FALLBACK);
    expect(confirmDialog(ringing, reply(200, "sip:phone", { recordRoute: ["<sip:new;lr>"] }))).toMatchObject({
      state: "confirmed",
      remoteTarget: "sip:phone",
      routes: ["sip:new;lr"],
    });
    expect(confirmDialog(ringing, reply(200, null))).toMatchObject({ remoteTarget: "sip:proxy", routes: ["sip:old;lr"] });
  });

  it("falls back to the carrier's address if there is no Contact", () => {
    expect(dialogOfResponse(invite, reply(180, null), FALLBACK).remoteTarget).toBe(FALLBACK);
  });

  it("acknowledges an answer with the sequence number and credentials of the INVITE", () => {
    const headers = new Map([["proxy-authorization", ["Digest …"]]]);
    const ack = ackInDialog(confirmed, { ...invite, headers }, { via });
    expect(ack).toMatchObject({ method: "ACK", uri: "sip:host-1", cseq: { number: 7, method: "ACK" } });
    expect(ack.headers.get("proxy-authorization")).toEqual(["Digest …"]);
  });

  it("survives being stored as JSON", () => {
    expect(JSON.parse(JSON.stringify(confirmed))).toEqual(confirmed);
  });
});

describe("a dialog of the peer's INVITE", () => {
  it("has the Record-Route in its order and continues the peer's sequence numbers", () => {
    const headers = new Map([
      ["contact", ["<sip:peer>"]],
      ["record-route", ["<sip:a;lr>", "<sip:b;lr>"]],
    ]);
    const received = request("INVITE", { headers });
    const dialog = dialogOfRequest(received, responseTo(received, 200, "OK", { toTag: "me" }));
    expect(dialog).toMatchObject({
      local: { tag: "me" },
      remote: { tag: "ours" },
      remoteTarget: "sip:peer",
      routes: ["sip:a;lr", "sip:b;lr"],
      remoteSequence: 1,
    });
    expect(requestInDialog(dialog, { method: "BYE", via }).request.cseq.number).toBe(1);
  });
});

describe("a request of the peer", () => {
  it("belongs to the dialog by Call-ID and tags, whatever its Request-URI", () => {
    expect(isOfDialog(confirmed, theirs("BYE", 1, { uri: "sip:somebody-else@192.0.2.1" }))).toBe(true);
    expect(isOfDialog(confirmed, theirs("BYE", 1, { callId: "another" }))).toBe(false);
    expect(isOfDialog(confirmed, theirs("BYE", 1, { from: address("sip:x", "other") }))).toBe(false);
  });

  it("is out of order unless its sequence number rises, except for ACK and CANCEL", () => {
    const after = receiveInDialog(confirmed, theirs("INVITE", 5));
    expect(after).toMatchObject({ remoteSequence: 5 });
    if (after === null) return;
    expect(receiveInDialog(after, theirs("UPDATE", 4))).toBeNull();
    expect(receiveInDialog(after, theirs("BYE", 5))).toBeNull();
    expect(receiveInDialog(after, theirs("ACK", 5))).toBe(after);
    expect(receiveInDialog(after, theirs("BYE", 9))).toMatchObject({ remoteSequence: 9 });
  });

  it.each([
    ["INVITE", "sip:host-2"],
    ["UPDATE", "sip:host-2"],
    ["INFO", "sip:host-1"],
  ])("changes the target by %s to %s", (method, target) => {
    const headers = new Map([["contact", ["<sip:host-2>"]]]);
    expect(refreshTarget(confirmed, theirs(method, 1, { headers })).remoteTarget).toBe(target);
  });

  it("has no new target if our request was refused", () => {
    expect(refreshTarget(confirmed, reply(488, "sip:host-2")).remoteTarget).toBe("sip:host-1");
    expect(refreshTarget(confirmed, reply(200, "sip:host-2")).remoteTarget).toBe("sip:host-2");
  });
});
