import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { becomes } from "@farline/drills/support/readiness.ts";

/** How the service refuses everything while its database answers late. */
const NOT_READY = '"reason":"unavailable"';

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Asks again while the service is not ready: a refusal of everything says nothing about this request. */
export async function whileNotReady<Answer extends Answered>(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  await becomes(async () => {
    if (answer.status !== 503 || !answer.text.includes(NOT_READY)) return true;
    answer = await ask();
    return false;
  }, PATIENCE_MS);
  return answer;
}

/** `fetch` from the service, once it is ready. */
export async function askService(url: string, init: RequestInit): Promise<Response> {
  const { response } = await whileNotReady(async () => {
    const answer = await fetch(url, init);
    return { response: answer, status: answer.status, text: answer.status === 503 ? await answer.clone().text() : "" };
  });
  return response;
}
