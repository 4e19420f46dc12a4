import type { ExplanationResponse } from "@farline/contract/operator/prices.ts";
import { numberTypeWords, riskWords } from "@farline/contract/operator/words/call-words.ts";
import { innerWordFor, tierWords, wordFor } from "@farline/contract/operator/words/words.ts";
import { useState } from "react";
import { useServiceForm } from "../../service/use-service-form.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { Badge } from "../../ui/status-badge.tsx";
import { consoleRequest } from "../console-request.ts";
import * as styles from "../console.module.css";
import { Facts } from "../shell/figures.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { HistoryCard } from "./price-history.tsx";
import { Times } from "../shell/inline-parts.tsx";

/** What a number costs and why, and what calls to a country have cost. */
export function PricesPage() {
  return (
    <div className="stack">
      <PageTitle title="Prices" />
      <ExplainCard />
      <HistoryCard />
    </div>
  );
}

/** Asks for a number and shows what it costs, and why. */
function ExplainCard() {
  const [found, setFound] = useState<ExplanationResponse | null>(null);
  const form = useServiceForm({
    empty: { phone_number: "" },
    send: async ({ phone_number: number }) =>
      setFound(await consoleRequest("POST /api/operator/prices/explain", { body: { number, country: null } })),
    fallback: "The price could not be looked up. Try again.",
  });
  return (
    <Card title="What would this number cost, and why?">
      <Form className={styles.tight} noValidate onSubmit={form.submit}>
        <Field
          label="Number"
          type="tel"
          hint="With + and its country code."
          placeholder="+44 20 7946 0958"
          autoComplete="off"
          {...form.field("phone_number", { required: "Enter a number." })}
        />
        <div>
          <Button pair="action" type="submit" busy={form.busy}>
            Explain the price
          </Button>
        </div>
        {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      </Form>
      {found !== null && <Explanation of={found} />}
    </Card>
  );
}

function Explanation({ of: one }: { readonly of: ExplanationResponse }) {
  return (
    <section className={styles.result} aria-label="The price">
      <Facts
        of={{
          Number: one.written,
          Country: one.country_name,
          Type: wordFor(numberTypeWords, one.number_type),
          Risk: one.risk === null ? null : `${riskWords[one.risk.level]}: ${one.risk.reason}`,
          Class: one.price_class,
        }}
      />
      {one.breakers.map((text) => (
        <Banner key={text} kind="warn">
          {text}
        </Banner>
      ))}
      {one.decks.length === 0 && <p>No deck is active.</p>}
      <ul className={styles.rows} aria-label="Decks">
        {one.decks.map((deck) => (
          <ExplainedDeck key={deck.id} deck={deck} />
        ))}
      </ul>
      {one.trunks.length > 0 && (
        <>
          <h3 className={styles.title}>Trunks with a price list</h3>
          <ul className={styles.rows} aria-label="Trunks">
            {one.trunks.map(({ trunk, cost, text }) => (
              <li key={trunk} className={styles.row}>
                <span>{trunk}</span>
                <div className={styles.facts}>
                  {cost !== null && <span className="fig">{`cost ${rateText(cost)}`}</span>}
                  <span>{text}</span>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
      {one.price_class !== null && (
        <>
          <h3 className={styles.title}>Longest call by trust</h3>
          <Facts
            of={Object.fromEntries(one.longest_calls.map(({ tier, seconds }) => [wordFor(tierWords, tier), lengthText(seconds)]))}
          />
        </>
      )}
    </section>
  );
}

function ExplainedDeck({ deck }: { readonly deck: ExplanationResponse["decks"][number] }) {
  const { name, is_scheduled: isScheduled, effective_at: at, row, is_sold: isSold, verdict } = deck;
  const word = isSold ? "sold" : "not sold";
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <span className={styles.title}>{name}</span>
        <Badge plain like={isSold ? "completed" : "failed"}>
          {word}
        </Badge>
      </div>
      <p>{verdict}</p>
      <div className={styles.facts}>
        <span>
          <Times text={`${isScheduled ? "from" : "active since"} ${at}`} />
        </span>
        {row !== null && (
          <>
            <span>{`prefix +${row.prefix} ${row.description}, ${innerWordFor(numberTypeWords, row.number_type)}`}</span>
            <span className="fig">{`cost ${rateText(row.cost)}`}</span>
            <span className="fig">{`sold for ${rateText(row.price)}`}</span>
            <span>{row.mark_up}</span>
            <span className="fig">{`${row.typical_margin_percent} % of a typical call's price remain`}</span>
          </>
        )}
      </div>
    </li>
  );
}

interface RateOfResponse {
  readonly per_minute: string;
  readonly first_interval_s: number;
  readonly next_interval_s: number;
}

function rateText({ per_minute: price, first_interval_s: first, next_interval_s: next }: RateOfResponse): string {
  return `$${price} a minute in ${first}/${next}`;
}

function lengthText(seconds: number | null): string {
  return seconds === null ? "closed" : `${Math.floor(seconds / 60)} min`;
}
