import { expect, test } from "vitest";
import { z } from "zod";
import { SETTINGS } from "@farline/domain/business/business-settings.ts";
import { activityKind } from "../../account-activity.ts";
import { api } from "../../api/api.ts";
import { transaction } from "../../billing.ts";
import { refundReason } from "../../call-details.ts";
import { endReason } from "../../calls.ts";
import { caseTopic } from "../../cases/cases.ts";
import { eventDetails } from "../calls.ts";
import * as constants from "../constants.ts";
import { timelineTypes, type TimelineType } from "../constants.ts";
import { deckState, exampleChoice, importRefusal, listKind } from "../decks.ts";
import { operationNames } from "../operations.ts";
import { operatorListEndpoints } from "../lists.ts";
import { operatorRights } from "../rights.ts";
import { searchResponse } from "../search.ts";
import * as calls from "./call-words.ts";
import * as money from "./money-words.ts";
import * as records from "./audit-words.ts";
import { settingTitle } from "./setting-words.ts";
import { moveText, queueWords, timelineWords } from "./timeline-words.ts";
import * as search from "./search-words.ts";
import * as words from "./words.ts";

type Table = Readonly<Record<string, string>>;

const hitTypes = searchResponse.shape.hits.element.shape.type.options;
const hitWords = Object.fromEntries(hitTypes.map((type) => [type, search.hitWords({ type, text: "", codes: [] }).title]));

const tables = [words, calls, money, { hitWords }, records, constants]
  .flatMap((chapter) => Object.entries(chapter))
  .filter((entry): entry is [string, Table] => isTable(entry[1]));

function isTable(one: unknown): boolean {
  return typeof one === "object" && !Array.isArray(one) && Object.values(one ?? {}).every((word) => typeof word === "string");
}

/** A code as programs write it. */
const RAW = /[a-z]_[a-z]|[0-9a-f]{8}-[0-9a-f]{4}-|undefined|null|\bNaN\b/;

/** Closed lists that operators never read as they are: what shows them has words or a sign of its own. */
const UNREAD: readonly (readonly string[])[] = [
  operationNames,
  Object.keys(operatorRights),
  timelineTypes,
  eventDetails,
  // Keys with words of their own.
  constants.liveStates,
  constants.runbookNames,
  listKind.options,
  deckState.options,
  ["confirm", "reject", "withdraw"],
  // A sign, or how it was found or chosen.
  ["page", "ticket"],
  searchResponse.shape.understood.options,
  exampleChoice.options,
  // Comes with a sentence.
  importRefusal.options,
  ["A", "B", "C"],
];

/** Every closed list in a schema. */
function enumsOf(schema: z.ZodType, seen = new Set<unknown>()): string[][] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  if (schema instanceof z.ZodEnum) return [schema.options as string[]];
  const parts = Object.values(schema.def as object).flatMap((part: unknown) =>
    part instanceof z.ZodType ? [part] : typeof part === "object" && part !== null ? Object.values(part) : [],
  );
  return parts.filter((part) => part instanceof z.ZodType).flatMap((part) => enumsOf(part, seen));
}

const answered = Object.entries(api as Readonly<Record<string, { readonly answer?: z.ZodType }>>)
  .filter(([name]) => name.includes("/api/operator/"))
  .flatMap(([name, { answer }]) => (answer === undefined ? [] : enumsOf(answer).map((codes) => [name, codes] as const)));

test.each(answered)("each code that %s answers has words: %s", (_name, codes) => {
  const unread = UNREAD.some((list) => codes.every((code) => list.includes(code)));
  const table = tables.find(([, has]) => codes.every((code) => Object.hasOwn(has, code)));
  expect(unread || table !== undefined).toBe(true);
});

test.each(tables)("%s says its codes in words", (_name, table) => {
  for (const [code, word] of Object.entries(table)) {
    expect([code, word]).toEqual([code, expect.not.stringMatching(RAW)]);
    expect(word.trim()).not.toBe("");
  }
});

const filters = Object.values(operatorListEndpoints)
  .flatMap(({ query }) => Object.entries(query.shape))
  .flatMap(([name, of]) => enumsOf(of).map((codes) => [name, codes] as const));

test.each(filters)("each choice of the filter %s has words, in the list and in the audit log: %s", (name, codes) => {
  expect(tables.some(([, has]) => codes.every((code) => Object.hasOwn(has, code)))).toBe(true);
  for (const code of codes) {
    const [detail] = records.detailWords({ [name]: code });
    expect(detail?.text).toMatch(/^[A-Z]/);
    expect(detail?.text).not.toMatch(RAW);
  }
});

test("a filter in the audit log is a sentence's part, with names for its codes and money", () => {
  const filter = { country: "GH", least: "0.05", from: "2026-11-01", prefix: "+233", state: "frozen", reason: "no_answer" };
  expect(records.detailWords(filter).map(({ name, text }) => `${name} ${text}`)).toEqual([
    "country Ghana",
    "at least $0.05",
    "from day 2026-11-01",
    "number begins with +233",
    "state Frozen",
    "because No answer",
  ]);
});

test("codes with the same words are one choice of why a payment failed; codes without words are another", () => {
  expect(new Set(Object.values(money.declineReasonWords)).size).toBe(money.declineReasons.length);
  expect(money.declineCodesOf("card_declined")).toEqual(
    expect.arrayContaining(["card_declined", "do_not_honor", "generic_decline"]),
  );
  expect(money.declineReasons.flatMap(money.declineCodesOf).toSorted()).toEqual(Object.keys(money.declineWords).toSorted());
});

const kinds: Readonly<Partial<Record<TimelineType, readonly string[]>>> = {
  payment: Object.keys(money.paymentKindWords),
  declined_card: Object.keys(money.declineWords),
  refund: Object.keys(money.refundOriginWords),
  dispute: Object.keys(money.disputeReasonWords),
  fraud_warning: Object.keys(money.fraudTypeWords),
  credit: transaction.shape.kind.options,
  refund_request: refundReason.options,
  call_block: Object.keys(words.blockWords),
  mail: Object.keys(words.mailWords),
  account: activityKind.options,
  case: caseTopic.options,
  operation: operationNames,
};
const states: Readonly<Partial<Record<TimelineType, readonly string[]>>> = {
  call: Object.keys(calls.callStatusWords),
  payment: [...Object.keys(money.paymentStatusWords), "refunded", "disputed"],
  refund: Object.keys(money.refundStatusWords),
  dispute: Object.keys(money.disputeStatusWords),
  fraud_warning: Object.keys(money.fraudDecisionWords),
  refund_request: Object.keys(words.requestStateWords),
  mail: Object.keys(words.mailStateWords),
  case: Object.keys(words.caseStateWords),
};

test.each(timelineTypes)("no entry %s of a timeline shows a code", (type) => {
  for (const kind of kinds[type] ?? [null])
    for (const state of states[type] ?? [null])
      for (const end_reason of type === "call" ? endReason.options : [undefined]) {
        const facts = {
          number: "1001",
          country: "GH",
          number_type: "fixed_or_mobile",
          operator: "Grace",
          text: "Help",
          device: "Chrome",
        };
        const { title, note } = timelineWords({ type, kind, state, facts: { ...facts, ...(end_reason && { end_reason }) } });
        expect(`${title}; ${note}`).not.toMatch(RAW);
        expect(title).not.toBe("");
      }
});

test("a code of a newer release, or of the provider, becomes a sentence", () => {
  const entry = timelineWords({ type: "payment", kind: "new_kind", state: "half_paid", facts: { failure: "a_new_reason" } });
  expect(entry).toEqual({ title: "New kind", note: "half paid, a new reason" });
  expect(queueWords({ kind: "dispute", code: "a_reason", state: "a_status", amount: null })).toEqual({
    title: "Dispute in a status we do not know: A status",
    note: "a reason",
  });
});

test("a payment for somebody else says who paid for whom, and where the credit is", () => {
  const say = (facts: object) => timelineWords({ type: "payment", kind: "custom", state: "paid", facts }).note;
  expect(say({ paid_by: "kofi@example.com", guest: "guest", gift: "held until 2026-12-03" })).toBe(
    "paid by a guest, kofi@example.com, held until 2026-12-03",
  );
  expect(say({ paid_for: "ada@example.com", gift: "given" })).toBe("for ada@example.com, the credit was given");
});

test.each(operationNames)("the operation %s and its proposal have words", (name) => {
  for (const text of [records.actionWords(name), records.actionWords(`propose-${name}`), records.proposalWords(name)]) {
    expect(text).not.toMatch(RAW);
    expect(text).not.toContain(name.includes("-") ? name : "propose-");
  }
});

test("a call says the customer's seconds first, with the measured ones beside them", () => {
  expect(calls.talkedWords(6, 5_200)).toBe("6 s (measured 5.2 s)");
  expect(calls.talkedWords(341, 340_600)).toBe("5 min 41 s (measured 340.6 s)");
  expect(calls.talkedWords(60, 60_000)).toBe("1 min");
  const facts = {
    number: "+233200000142",
    country: "GH",
    number_type: "mobile",
    duration_ms: 5_200,
    billed_seconds: 6,
    end_reason: "hangup",
  };
  expect(timelineWords({ type: "call", kind: null, state: "completed", facts })).toEqual({
    title: "Called Ghana mobile, +233200000142: talked 6 s (measured 5.2 s)",
    note: "",
  });
  expect(calls.soundText(4.3925)).toBe("Sound 4.4 of 5");
});

test.each([
  ["20.00", "$20.00", "+$20.00", "$20.00"],
  ["-0.001", "−$0.0010", "−$0.0010", "$0.00"],
  ["1234567.891234", "$1,234,567.891234", "+$1,234,567.891234", "$1,234,567.89"],
])("%s is %s, as a movement %s, and as a balance %s", (amount, text, moved, balance) => {
  expect(money.dollarText(amount)).toBe(text);
  expect(money.movementText(amount)).toBe(moved);
  expect(money.sumText(amount)).toBe(balance);
});

test("money that moved has its sign; what moved none, or another's credit, has none", () => {
  const moved = (type: TimelineType, state: string | null, amount: string | null, facts = {}) =>
    moveText({ type, state, amount, facts });
  expect(moved("call", "completed", "0.0010")).toBe("−$0.0010");
  expect(moved("call", "completed", "0.0010", { paid_by: "owner@example.com" })).toBe("$0.0010");
  expect(moved("call", "failed", "0.00")).toBeNull();
  expect(moved("payment", "paid", "20.00")).toBe("+$20.00");
  expect(moved("payment", "refunded", "20.00")).toBe("+$20.00");
  expect(moved("payment", "disputed", "20.00")).toBe("+$20.00");
  expect(moved("payment", "failed", "20.00")).toBe("$20.00");
  expect(moved("credit", null, "-1.00")).toBe("−$1.00");
});

test("details of the audit log are written in words, and what only programs need is left out", () => {
  const detail = {
    ...{
      amount_micros: "5000000",
      reach: 1,
      key: "0199bbbb-0000-7000-8000-0000000000cc",
      concerns: "beyond_alone",
      force: false,
    },
    ...{ before: "earned", value: "trusted", until: "2026-12-31T23:59:59.999Z", because: "payment", why: "It is much." },
  };
  expect(records.detailWords(detail).map(({ name, text }) => `${name}: ${text}`)).toEqual([
    "amount: $5.00",
    "reaches: 1 customer",
    "was: as earned",
    "now: Trusted",
    "until: 2026-12-31T23:59:59.999Z",
    "customer is told: A payment is being reviewed",
    "why a second operator: It is much.",
  ]);
  expect(records.subjectWords("set-term", "spend-per-day")).toBe("Spending per day");
  expect(records.subjectWords("refund", "0199bbbb-0000-7000-8000-0000000000cc")).toBeNull();
});

test("each setting has a title of its own, in words", () => {
  const titles = [...SETTINGS.keys()].map(settingTitle);
  expect(new Set(titles).size).toBe(SETTINGS.size);
  for (const title of titles) expect(title).not.toMatch(/_|[a-z]\.[a-z]|[a-z][A-Z]/);
  expect(titles).toContain("Calls of new customers: to different numbers in a day");
  expect(records.subjectWords("propose-set-setting", "carrier-costs.spend-per-day")).toBe("Carrier costs: maximum per day");
});
