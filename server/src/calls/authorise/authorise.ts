import type { DatabaseHandle } from "../../platform/database/database.ts";
import { grouped } from "../../platform/database/grouped.ts";
import { insertCall } from "../call.store.ts";
import type { CallRow } from "../calls.tables.ts";
import { authorisePlainCalls, type AuthoriseRequest } from "./grouped-calls.store.ts";

/** Statements at once that authorise several calls each. */
const LANES = 2;
const MOST_IN_GROUP = 50;
const MOST_WAITING = 2_000;

/**
 * Holds the credit of a call and writes it, within all that bounds it.
 * @throws what authorise_call.sql raises when something speaks against it
 */
export type Authorise = (request: AuthoriseRequest) => Promise<CallRow>;

/** Calls that are asked for at the same moment are authorised together. */
export function createAuthorise(handle: DatabaseHandle): Authorise {
  return grouped<AuthoriseRequest, CallRow>({
    lanes: LANES,
    mostInGroup: MOST_IN_GROUP,
    mostWaiting: MOST_WAITING,
    keyOf: ({ call }) => call.customerId,
    together: (requests) => authorisePlainCalls(handle, requests),
    alone: ({ call, limits }) => insertCall(handle, call, limits),
  });
}
