/** Programs that a process manager runs individually, without `npm start`. */
export const PROGRAMS = ["service", "exchange"] as const;
export type Program = (typeof PROGRAMS)[number];
