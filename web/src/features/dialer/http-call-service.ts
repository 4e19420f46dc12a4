import { ApiError, request } from "../../service/http.ts";
import { balanceQuery } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";
import { askForLiveCall, leaveCall, stayInCall } from "../../service/live-call.ts";
import { ServiceRefusal, type CallService } from "../../phone/call/call-service.ts";

/** The phone's requests to the service, over HTTP. */
export const httpCallService: CallService = {
  getVoiceToken: () => refusing(request("GET /api/calls/token")),
  initiate: (wanted, idempotencyKey) => {
    const balance = queryClient.getQueryData(balanceQuery.queryKey);
    const body = balance === undefined ? wanted : { ...wanted, paid_by_family: balance.family !== null };
    return refusing(request("POST /api/calls/initiate", { body, headers: { "Idempotency-Key": idempotencyKey } }));
  },
  getCall: async (callId) => (await refusing(request("GET /api/calls/:id", { params: { id: callId } }))).call,
  stay: (callId) => refusing(stayInCall(callId)),
  getLiveCall: (wasIn) => refusing(askForLiveCall(wasIn)),
  move: async (callId, voiceSession) => {
    await refusing(request("POST /api/calls/:id/move", { params: { id: callId }, body: { voice_session: voiceSession } }));
  },
  leave: (callId) => refusing(leaveCall(callId)),
  hangup: async (callId) =>
    (await refusing(request("POST /api/calls/:id/hangup", { params: { id: callId }, keepalive: true }))).call,
  sendControlIds: async (callId, body) => {
    await refusing(request("PATCH /api/calls/:id/control-id", { params: { id: callId }, body }));
  },
  sendQuality: async (callId, samples) => {
    await refusing(request("POST /api/calls/:id/quality", { params: { id: callId }, body: { samples }, keepalive: true }));
  },
  startEchoTest: () => refusing(request("POST /api/calls/echo-test")),
};

/** Lets the phone distinguish a refusal by the service from a missing answer. */
async function refusing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.fromService) throw error;
    const { status, code, message, price } = error;
    throw new ServiceRefusal({ status, code, message, price });
  }
}
