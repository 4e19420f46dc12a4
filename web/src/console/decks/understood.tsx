import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import { Card } from "../../ui/card.tsx";
import * as styles from "./decks.module.css";

interface UnderstoodProps {
  readonly understood: DeckReportResponse["understood"];
}

/** How the list is understood, to be compared with the carrier's paper before it is stored. */
export function UnderstoodCard({ understood }: UnderstoodProps) {
  return (
    <Card title="How it is understood" className={styles.form}>
      <Understood understood={understood} />
    </Card>
  );
}

/** The sentences, and three calls with what they cost. */
export function Understood({ understood: { lines, examples } }: UnderstoodProps) {
  return (
    <>
      <ul className={styles.sentences}>
        {lines.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {examples.length > 0 && (
        <div className={styles.examples}>
          <p>Compare these calls with the carrier's paper:</p>
          <ul className={styles.sentences} aria-label="Example calls">
            {examples.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
