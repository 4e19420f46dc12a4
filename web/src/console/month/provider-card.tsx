import type { ProviderLine, ProviderMonth } from "@farline/contract/operator/month.ts";
import { useQuery } from "@tanstack/react-query";
import { Card } from "../../ui/card.tsx";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { Spinner } from "../../ui/button.tsx";
import { consoleRequest } from "../console-request.ts";
import { DataTable } from "../shell/data-table.tsx";

/** The payment provider's balance report of a month, and where it differs from the ledger. */
export function ProviderCard({ month }: { readonly month: string }) {
  const report = useQuery({
    queryKey: ["month", month, "provider"],
    queryFn: () => consoleRequest("GET /api/operator/months/:month/provider", { params: { month } }),
  });
  return (
    <Card title="Payment provider">
      {report.isPending && <Spinner />}
      {report.isError && <LoadFailure text="The balance report could not be loaded" of={report} />}
      {report.isSuccess && <Report report={report.data} />}
    </Card>
  );
}

function Report({ report: { lines, provider_net: there, ledger_net: here, differences } }: { readonly report: ProviderMonth }) {
  const open = differences.filter(({ timing }) => !timing).length;
  const isConverted = lines.some(({ rate }) => rate !== null);
  return (
    <div className="stack">
      {open > 0 && <Banner kind="error">{`Differences from the ledger, for a person to look at: ${open}.`}</Banner>}
      {open === 0 && <Banner kind="info">Each payment moved the same amount as in the ledger.</Banner>}
      <DataTable
        label="Balance report"
        head={["Kind", "Currency", "Count", "Amount", "Fees", "Net", ...(isConverted ? ["Paid, US dollars", "Per dollar"] : [])]}
        rows={lines.map((line) => [
          nameOf(line),
          line.currency,
          String(line.count),
          line.amount,
          line.fee,
          line.net,
          ...(isConverted ? [line.paid ?? "", line.rate ?? ""] : []),
        ])}
      />
      {isConverted && (
        <p className="small muted">
          The account settles in another currency. Payments are compared in the dollars that were paid; amounts of two currencies
          are never added.
        </p>
      )}
      <p>{`Received less returned: $${there} at the provider, $${here} in the ledger.`}</p>
      {differences.length > 0 && (
        <DataTable
          label="Differences"
          head={["Payment", "Provider", "Ledger, US dollars", "Why"]}
          rows={differences.map((one) => [
            one.payment_id ?? one.reference ?? "",
            `${one.provider} ${one.currency}`,
            one.ledger,
            one.text,
          ])}
        />
      )}
    </div>
  );
}

function nameOf({ category, known }: ProviderLine): string {
  if (category === "other_business") return "other business of this account";
  return known ? category.replaceAll("_", " ") : `unknown: ${category}`;
}
