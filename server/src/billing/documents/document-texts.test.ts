import { languages, type Language } from "@farline/domain/languages.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import { describe, expect, test } from "vitest";
import type { LedgerKind } from "../../ledger/ledger.ts";
import { BONUS_DESCRIPTIONS } from "../../promotions/promotions.ts";
import { promoDescription, topUpDescription } from "../record/entry-subject.ts";
import { dateText, describeLine, documentTexts, fill, type DocumentTexts } from "./document-texts.ts";
import { isCovered } from "./pdf/typefaces.ts";

const line = (kind: LedgerKind, description: string, amountMicros = 1n) => ({ kind, description, amountMicros });

test.each([
  ["Automatic top-up by card", "Recharge automatique par carte", line("top_up", topUpDescription(true))],
  ["Top-up by card", "Recharge par carte", line("top_up", topUpDescription(false))],
  ["Bonus credit, code WELCOME10", "Crédit offert, code WELCOME10", line("bonus", promoDescription("WELCOME10"))],
  ["Welcome bonus", "Crédit de bienvenue", line("bonus", BONUS_DESCRIPTIONS.welcome)],
  ["Bonus for your first call", "Crédit offert pour votre premier appel", line("bonus", BONUS_DESCRIPTIONS.first_call)],
  ["Bonus credit", "Crédit offert", line("bonus", "Bonus credit")],
  ["Bonus removed", "Crédit offert repris", line("bonus", "Bonus taken back", -1n)],
  ["Call to +44 20 7946 0001", "Appel vers +44 20 7946 0001", line("call", "Call to +44 20 7946 0001", -1n)],
  ["Call to +4420…", "Appel vers +4420…", line("call", "Call to +4420*", -1n)],
  ["Call of a family member", "Appel d’un membre de la famille", line("call", "Call of a family member", -1n)],
  ["Correction", "Rectification", line("adjustment", "Correction")],
])("%s is described in the customer's language", (english, french, entry) => {
  const described = (language: Language) =>
    describeLine(entry, documentTexts(language).statement.lines).replace(/[\u2068\u2069]/gu, "");
  expect([described("en"), described("fr")]).toEqual([english, french]);
});

describe.each(languages)("the documents in %s", (language) => {
  test("have glyphs for all texts, and the same placeholders as English", async () => {
    const texts = textsOf(documentTexts(language));
    const english = textsOf(documentTexts("en"));
    const wrong: string[] = [];
    for (const [name, text] of texts) {
      if (!(await isPrintable(text))) wrong.push(`${name} cannot be printed`);
      if (valuesOf(text) !== valuesOf(english.get(name) ?? "")) wrong.push(`${name} has other values`);
    }
    expect(wrong).toEqual([]);
    expect(await isPrintable("+4420…")).toBe(true);
    expect(await isPrintable(dateText(new Date("2026-12-18T12:00:00Z"), language))).toBe(true);
    expect(await isPrintable(moneyText(formatDollars(-1_234_567_890_000n, 6), language, { signed: true }))).toBe(true);
  });
});

async function isPrintable(text: string): Promise<boolean> {
  return (await Promise.all(Array.from(text, (sign) => isCovered(sign)))).every(Boolean);
}

test("a value cannot change the order of the words around it", () => {
  const line = fill(documentTexts("ar").statement.lines.call, { number: "+44 20\u2069 7946\u202e" });
  expect(line).toContain("\u2068+44 20 7946\u202e\u2069");
});

const VALUE = /\{\w+\}/g;

function valuesOf(text: string): string {
  return (text.match(VALUE) ?? []).toSorted().join();
}

function textsOf(texts: DocumentTexts): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (value: object, path: string) => {
    for (const [name, inner] of Object.entries(value))
      if (typeof inner === "string") found.set(`${path}.${name}`, inner);
      else walk(inner as object, `${path}.${name}`);
  };
  walk(texts, "");
  return found;
}
