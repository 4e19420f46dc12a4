import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { userQuery } from "../../../service/queries.ts";
import { cleanExtension } from "@farline/domain/numbers/extension.ts";
import { keepExtension, keptExtension } from "./kept-extension.ts";

export interface ExtensionEntry {
  /** Dialled after the answer; null if none is wanted and none is stored for the number. */
  text: string | null;
  /** The caller changed it: "" opens the field, null closes it. */
  change(text: string | null): void;
  /** Restores what is stored for the number. */
  reset(): void;
  /** Stores it for the number's next call. */
  keep(e164: string): void;
}

/** The extension of the number in the field: as typed, or as dialled last time. */
export function useExtension(e164: string | null): ExtensionEntry {
  const { data: user } = useQuery(userQuery);
  const customerId = user?.id ?? null;
  const kept = useMemo(() => (customerId === null || e164 === null ? "" : keptExtension(customerId, e164)), [customerId, e164]);
  const [typed, setTyped] = useState<string | null | undefined>();
  const text = typed === undefined ? kept || null : typed;
  return {
    text,
    change: (next) => setTyped(next === null ? null : cleanExtension(next)),
    reset: () => setTyped(undefined),
    keep: (number) => {
      if (customerId !== null) keepExtension(customerId, number, text ?? "");
    },
  };
}
