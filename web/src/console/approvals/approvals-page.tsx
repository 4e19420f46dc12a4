import { useQuery } from "@tanstack/react-query";
import { messageOf } from "../../service/http.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Spinner } from "../../ui/waiting/spinner.tsx";
import { consoleRequest } from "../console-request.ts";
import { usePageTitle } from "../shell/page-title.ts";
import * as rows from "../shell/rows.module.css";
import { ApprovalRow } from "./approval-row.tsx";

/** Proposals that wait for a second operator. */
export function ApprovalsPage() {
  usePageTitle("Approvals");
  const open = useQuery({ queryKey: ["approvals"], queryFn: () => consoleRequest("GET /api/operator/approvals") });
  return (
    <>
      <h1 className="t-page head">Approvals</h1>
      <Card>
        {open.isPending && <Spinner />}
        {open.isError && (
          <LoadFailure
            text={messageOf(open.error, "The approvals could not be loaded")}
            busy={open.isFetching}
            onRetry={() => void open.refetch()}
          />
        )}
        {open.isSuccess && open.data.approvals.length === 0 && (
          <EmptyState
            title="Nothing waits for a second operator"
            text="Large refunds, write-offs and unusual prices appear here."
          />
        )}
        <ul className={rows.rows}>
          {open.data?.approvals.map((one) => (
            <ApprovalRow key={one.id} approval={one} />
          ))}
        </ul>
      </Card>
    </>
  );
}
