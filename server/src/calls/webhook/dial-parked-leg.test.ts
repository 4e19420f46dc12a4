import { expect, test } from "vitest";
import type { CallRow } from "../record/calls.tables.ts";
import { refusalReason } from "./dial-parked-leg.ts";

const now = new Date(1_000_000);
const event = { clientState: Buffer.from("A".repeat(43)).toString("base64"), ticketHeader: null, to: "+442079460000" };
const call = {
  status: "initiated",
  ticket_used_at: null,
  ticket_expires_at: new Date(now.getTime() + 1),
  destination: "+442079460000",
} as CallRow;

test("refusalReason names the reason why a parked leg is refused", () => {
  expect(refusalReason(undefined, { ...event, clientState: null }, now)).toBe("no ticket");
  expect(refusalReason(undefined, event, now)).toBe("unknown ticket");
  expect(refusalReason({ ...call, status: "failed" }, event, now)).toBe("call is over");
  expect(refusalReason({ ...call, ticket_used_at: now }, event, now)).toBe("ticket used");
  expect(refusalReason({ ...call, ticket_expires_at: now }, event, now)).toBe("ticket expired");
  expect(refusalReason(call, event, now)).toBe("ticket of another customer");
  expect(refusalReason(call, { ...event, to: "+14155550123" }, now)).toBe("other number than authorised");
});
