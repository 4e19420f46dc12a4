import type { FirstSteps } from "@farline/contract/operator/overview.ts";
import { Card } from "../../ui/card.tsx";
import * as rows from "../shell/rows.module.css";
import * as styles from "./overview.module.css";

const STEPS: Readonly<Record<keyof FirstSteps, { readonly text: string; readonly docs: string }>> = {
  operators: {
    text: "Invite a second operator, who confirms what one person may not do alone.",
    docs: "docs/operate/operators.md",
  },
  trunk: { text: "Connect a carrier: a trunk of the exchange, or Telnyx.", docs: "docs/operate/voice.md" },
  deck: {
    text: "Put a price list in force. Until then the sample prices are for the sandbox alone.",
    docs: "docs/operate/decks.md",
  },
  payments: {
    text: "Set the keys of the payment provider. Until then the sandbox's cards are play money.",
    docs: "docs/operate/deploy.md",
  },
};

/** What is missing before the first call can be sold. */
export function FirstStepsCard({ steps }: { readonly steps: FirstSteps }) {
  return (
    <Card title="First steps" className={styles.wide}>
      <ul className={styles.list} aria-label="First steps">
        {(Object.keys(STEPS) as (keyof FirstSteps)[]).map((name) => (
          <li key={name} className={styles.warning}>
            <span>{STEPS[name].text}</span>
            <div className={rows.facts}>
              <strong>{steps[name] ? "Done" : "To do"}</strong>
              <span>{STEPS[name].docs}</span>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
