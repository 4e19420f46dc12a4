/** Programs that a process manager runs by themselves, without `npm start`. */
export const PROGRAMS = ["service", "exchange"] as const;
export type Program = (typeof PROGRAMS)[number];
