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
      <ul className={styles.sentences}>
        {understood.lines.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <Examples understood={understood} />
    </Card>
  );
}

/** Three calls with what they cost. */
export function Examples({ understood: { examples } }: UnderstoodProps) {
  return (
    <>
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
