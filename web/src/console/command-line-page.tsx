import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../service/http.ts";
import { Button, Spinner } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Banner } from "../ui/messages/banner.tsx";
import { consoleRequest } from "./console-request.ts";
import { usePageTitle } from "./shell/page-title.ts";
import * as styles from "./sign-in/sign-in.module.css";

const FAILURE = "The code could not be checked. Run sign-in again.";

/** Where `npm run cli -- sign-in` leads: the operator compares the code and signs that command line in. */
export function CommandLinePage() {
  usePageTitle("Command line");
  const [code] = useState(() => window.location.hash.slice(1));
  const waiting = useQuery({
    queryKey: ["command-line", code],
    queryFn: () => consoleRequest("POST /api/operator/command-line/device", { body: { code } }),
    staleTime: Infinity,
  });
  const confirm = useMutation({ mutationFn: () => consoleRequest("POST /api/operator/command-line", { body: { code } }) });
  if (waiting.isPending) return <Spinner />;
  return (
    <Card className="stack">
      <h1 className="t-page">Sign in a command line</h1>
      {waiting.isError && <Banner kind="error">{messageOf(waiting.error, FAILURE)}</Banner>}
      {confirm.isError && <Banner kind="error">{messageOf(confirm.error, FAILURE)}</Banner>}
      {confirm.isSuccess && <Banner kind="info">Signed in. Go back to the command line.</Banner>}
      {waiting.isSuccess && !confirm.isSuccess && (
        <>
          <p>{`${waiting.data.device} wants to act as you. Confirm only if you have just started this yourself, and if it shows this code:`}</p>
          <p className={styles.code}>{code}</p>
          <div className="row">
            <Button pair="action" size="lg" busy={confirm.isPending} onClick={() => confirm.mutate()}>
              Confirm
            </Button>
          </div>
        </>
      )}
    </Card>
  );
}
