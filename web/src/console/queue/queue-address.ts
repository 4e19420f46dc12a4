/** The queue's proposals, which wait for a second operator. */
export const PROPOSALS = "/operator/queue?kind=approval";
