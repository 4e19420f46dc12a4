/** Headers by which the logs of the service and the exchange name the same request and the same call. */
export const REQUEST_ID_HEADER = "x-request-id";
/** On the service's commands about a call: our id of it. */
export const CALL_ID_HEADER = "x-farline-call-id";

const WELL_FORMED = /^[\w.-]{8,64}$/;

/** Another program's request id: long enough to be unique, and unable to forge log lines. Undefined for anything else. */
export function wellFormedRequestId(id: string | readonly string[] | undefined): string | undefined {
  return typeof id === "string" && WELL_FORMED.test(id) ? id : undefined;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The service's id of a call. Undefined for anything else. */
export function wellFormedCallId(id: string | readonly string[] | undefined): string | undefined {
  return typeof id === "string" && UUID.test(id) ? id : undefined;
}
