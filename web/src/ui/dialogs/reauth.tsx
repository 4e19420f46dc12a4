import { type ComponentType, useEffect, useState } from "react";
import { ApiError, whenProofIsRequired } from "../../service/http.ts";
import { loadPart } from "../../session/load-part.ts";
import { loadTexts } from "../../text/i18n.ts";
import type { Asked } from "./reauth-dialog.tsx";

interface Question {
  readonly asked: Asked;
  readonly Dialog: ComponentType<{ readonly asked: Asked }>;
}

/** Re-authenticates the user on the current page when the service requires it. */
export function Reauth() {
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(
    () =>
      whenProofIsRequired(async () => {
        const [{ ReauthDialog: Dialog }] = await loadPart(() =>
          Promise.all([import("./reauth-dialog.tsx"), loadTexts("account")]),
        );
        await new Promise<void>((proved, refused) => {
          const gaveUp = () => refused(new ApiError(0, "cancelled", "Nothing was changed."));
          setQuestion({ asked: { proved, gaveUp }, Dialog });
        }).finally(() => setQuestion(null));
      }),
    [],
  );
  return question === null ? null : <question.Dialog asked={question.asked} />;
}
