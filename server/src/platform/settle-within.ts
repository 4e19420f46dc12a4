/** The promise's result, or `late` if it takes longer than the limit. A later result or failure is ignored. */
export async function settleWithin<Result, Late>(promise: Promise<Result>, limitMs: number, late: Late): Promise<Result | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), limitMs);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}
