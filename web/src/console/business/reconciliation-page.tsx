import type { ReconciliationResponse } from "@farline/contract/operator/business.ts";
import { differenceWords, dollarText, sumText } from "@farline/contract/operator/words/money-words.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { consoleRequest } from "../console-request.ts";
import { OperationForm } from "../operation/operation-form.tsx";
import { DataTable, Facts, Loaded } from "../shell/figures.tsx";
import { PaymentKey } from "../shell/inline-parts.tsx";
import { PageTitle } from "../shell/top-bar.tsx";

const DEFAULT_DAYS = "3";

/** Payments as the payment provider has them beside the ledger, and intake after a restore. */
export function ReconciliationPage() {
  const [chosen, setChosen] = useState<"reconcile" | "open-intake" | null>(null);
  const read = useQuery({ queryKey: ["reconciliation"], queryFn: () => consoleRequest("GET /api/operator/reconciliation") });
  return (
    <div className="stack">
      <div className="spread head">
        <PageTitle title="Reconciliation" />
        <Button pair="action" onClick={() => setChosen("reconcile")}>
          Compare with the payment provider
        </Button>
      </div>
      <Loaded of={read} failure="The reconciliation could not be loaded">
        {(data) => <Result of={data} />}
      </Loaded>
      <Card title="After a restore" className="stack">
        <p className="muted">
          A restored service lets nobody change anything until every payment agrees with the provider. If you have settled what
          remains, reopen intake yourself.
        </p>
        <div>
          <Button onClick={() => setChosen("open-intake")}>Reopen intake</Button>
        </div>
      </Card>
      {chosen !== null && (
        <OperationForm operation={chosen} subject={null} initial={{ days: DEFAULT_DAYS }} onClose={() => setChosen(null)} />
      )}
    </div>
  );
}

function Result({ of: { latest, differences } }: { readonly of: ReconciliationResponse }) {
  return (
    <Card title="Latest comparison" className="stack">
      {latest === null ? <p>No comparison was made yet.</p> : <Facts of={factsOf(latest)} />}
      {differences.length > 0 && (
        <>
          <Banner kind="error">{`Differences for a person to look at: ${differences.length}.`}</Banner>
          <DataTable
            label="Differences"
            head={["Payment", "Provider", "Ledger", "What", "Found"]}
            rows={differences.map(({ payment_id: id, reference, provider, ledger, detail, kind, found_at: at }) => [
              <PaymentKey key="payment" payment={id} reference={reference} />,
              amountText(provider),
              amountText(ledger),
              detail === "" ? differenceWords[kind] : detail,
              at ?? "",
            ])}
          />
        </>
      )}
    </Card>
  );
}

function factsOf({ from, to, charges, provider, ledger, repaired, differences }: NonNullable<ReconciliationResponse["latest"]>) {
  return {
    From: from,
    To: to,
    Charges: String(charges),
    Provider: sumText(provider),
    Ledger: sumText(ledger),
    "Set right": String(repaired),
    Differences: String(differences),
  };
}

function amountText(amount: string | null): string {
  return amount === null ? "" : dollarText(amount);
}
