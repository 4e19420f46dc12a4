import { AppError } from "../http/app-error.ts";

export interface GroupedWork<Request, Answer> {
  /** At most so many groups are under way; what comes meanwhile goes with the next one. */
  readonly lanes: number;
  /** At most so many requests in one group. */
  readonly mostInGroup: number;
  /** With so many waiting, a further one is turned away. */
  readonly mostWaiting: number;
  /** Two requests of one key never go in one group. */
  keyOf(request: Request): string;
  /**
   * Does what it can of them at once, or throws what hits each of them.
   * @returns the answers by key, without those it left undone
   */
  together(requests: readonly Request[]): Promise<ReadonlyMap<string, Answer>>;
  /** Does what `together` left undone, and as long as that takes: others do not wait for it. */
  alone(request: Request): Promise<Answer>;
}

interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly answer: PromiseWithResolvers<Answer>;
}

/**
 * Does together what waits at the same moment. Nothing is delayed for company: with a lane free, what is asked for in one
 * turn of the event loop goes at its end.
 * @returns the way to ask; it throws what `together` or `alone` throws, and AppError `unavailable` when too many wait
 */
export function grouped<Request, Answer>(work: GroupedWork<Request, Answer>): (request: Request) => Promise<Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let underWay = 0;
  let turn: NodeJS.Immediate | null = null;

  const atEndOfTurn = () => {
    turn ??= setImmediate(() => {
      turn = null;
      next();
    });
  };

  const next = () => {
    while (underWay < work.lanes && waiting.length > 0) {
      const { group, rest } = takeGroup(waiting, work);
      waiting = rest;
      underWay += 1;
      void doTogether(group);
    }
  };

  const doTogether = async (group: readonly Waiting<Request, Answer>[]) => {
    try {
      const answers = await work.together(group.map(({ request }) => request));
      for (const { request, answer } of group) {
        const key = work.keyOf(request);
        if (answers.has(key)) answer.resolve(answers.get(key) as Answer);
        else work.alone(request).then(answer.resolve, answer.reject);
      }
    } catch (error) {
      for (const { answer } of group) answer.reject(error);
    } finally {
      underWay -= 1;
      // Who got an answer may ask again at once.
      atEndOfTurn();
    }
  };

  return (request) => {
    if (waiting.length >= work.mostWaiting)
      return Promise.reject(new AppError("unavailable", "Too much is going on at the moment. Please try again soon."));
    const answer = Promise.withResolvers<Answer>();
    waiting.push({ request, answer });
    atEndOfTurn();
    return answer.promise;
  };
}

/** The first of each key, in their order; the rest stays in its order. */
function takeGroup<Request, Answer>(
  waiting: readonly Waiting<Request, Answer>[],
  work: Pick<GroupedWork<Request, Answer>, "keyOf" | "mostInGroup">,
): { group: Waiting<Request, Answer>[]; rest: Waiting<Request, Answer>[] } {
  const keys = new Set<string>();
  const group: Waiting<Request, Answer>[] = [];
  const rest: Waiting<Request, Answer>[] = [];
  for (const one of waiting) {
    const key = work.keyOf(one.request);
    if (group.length < work.mostInGroup && !keys.has(key)) {
      keys.add(key);
      group.push(one);
    } else rest.push(one);
  }
  return { group, rest };
}
