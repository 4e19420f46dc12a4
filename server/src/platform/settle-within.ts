/** The result of `work`, or `late` if it takes longer than the limit. A later result or failure is ignored. */
export async function settleWithin<Result, Late>(work: Promise<Result>, limitMs: number, late: Late): Promise<Result | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), limitMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
