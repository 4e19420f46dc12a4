import { useState } from "react";
import { randomId } from "../../browser/random-id.ts";
import { ApiError } from "../../service/http.ts";

/** What a form that moves money sends along. */
interface Once {
  /** Made when the form opens, so that sending it twice moves nothing twice. */
  readonly key: string;
  readonly again: boolean;
}

/**
 * Guards a form that moves money. If the service says that the same was done within the last hour, `isRepeated` is true and the
 * operator can mean it once more.
 */
export function useOnce() {
  const [key] = useState(() => randomId());
  const [isRepeated, setRepeated] = useState(false);
  const [again, setAgain] = useState(false);
  const send = async <Answer>(request: (once: Once) => Promise<Answer>): Promise<Answer> => {
    try {
      return await request({ key, again });
    } catch (error) {
      if (error instanceof ApiError && error.reason === "operator.done_before") setRepeated(true);
      throw error;
    }
  };
  return { send, isRepeated, again, setAgain };
}
