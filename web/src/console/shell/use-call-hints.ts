import type { OperatorHint } from "@farline/contract/operator/live-calls.ts";
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { LiveConnection } from "../../service/live-connection.ts";
import { endConsoleSession } from "../console-request.ts";

/** Reads a query again when the service says that calls have changed, at most once a second. */
export function useCallHints(queryKey: QueryKey): void {
  const client = useQueryClient();
  const [name] = queryKey;
  useEffect(() => {
    const connection = new LiveConnection<OperatorHint>({
      name: "farline-operator-live",
      url: "/api/operator/events",
      token: null,
      onHint: ({ type }) => {
        // The page has just read what `ready` would have it read, unless the connection was lost in between.
        if (type === "calls" || isRead(client.getQueryState([name])?.dataUpdatedAt))
          void client.invalidateQueries({ queryKey: [name] });
      },
      onRefused: endConsoleSession,
    });
    return () => connection.close();
  }, [client, name]);
}

function isRead(at: number | undefined): boolean {
  return at !== undefined && at > 0;
}
