/** One reading, shared by all who ask within a time. One that fails is not kept. */
export function sharedReading<Result>(read: () => Promise<Result>, keepMs: number): () => Promise<Result> {
  let last: { at: number; answer: Promise<Result> } | null = null;
  return () => {
    // A monotonic clock: this is elapsed time, not time of day.
    const now = performance.now();
    if (last !== null && now - last.at <= keepMs) return last.answer;
    const current = { at: now, answer: read() };
    last = current;
    current.answer.catch(() => {
      if (last === current) last = null;
    });
    return current.answer;
  };
}
