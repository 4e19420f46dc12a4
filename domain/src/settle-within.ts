/** The promise's outcome, or that of `late` if it takes longer than the limit. A later outcome is ignored. */
export function settleWithin<Result, Late>(
  promise: Promise<Result>,
  limitMs: number,
  late: () => Late | Promise<Late>,
): Promise<Result | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  return Promise.race([promise, limit.then(late)]).finally(() => clearTimeout(timer));
}
