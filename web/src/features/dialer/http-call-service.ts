import type { QualityResponse } from "@farline/contract/call-details.ts";
import type { CallResponse, EchoTestResponse, InitiateResponse, VoiceTokenResponse } from "@farline/contract/calls.ts";
import { ApiError, request } from "../../service/http.ts";
import { askForLiveCall, thisPage } from "../../service/live-call.ts";
import { ServiceRefusal, type CallService } from "../../phone/call/call-service.ts";

/** The phone's requests to the service, over HTTP. */
export const httpCallService: CallService = {
  getVoiceToken: () => refusing(request<VoiceTokenResponse>("GET", "/calls/token")),
  initiate: (body, idempotencyKey) =>
    refusing(request<InitiateResponse>("POST", "/calls/initiate", { body, headers: { "Idempotency-Key": idempotencyKey } })),
  getCall: async (callId, look) => {
    const query = look?.present === true ? `?page=${thisPage()}` : "";
    return (await refusing(request<CallResponse>("GET", `/calls/${callId}${query}`))).call;
  },
  getLiveCall: (wasIn) => refusing(askForLiveCall(wasIn)),
  leave: async (callId) => {
    await refusing(request("POST", `/calls/${callId}/leave`, { body: { page: thisPage() }, keepalive: true }));
  },
  hangup: async (callId) => (await refusing(request<CallResponse>("POST", `/calls/${callId}/hangup`, { keepalive: true }))).call,
  sendControlIds: async (callId, body) => {
    await refusing(request("PATCH", `/calls/${callId}/control-id`, { body }));
  },
  sendQuality: async (callId, samples) => {
    await refusing(request<QualityResponse>("POST", `/calls/${callId}/quality`, { body: { samples }, keepalive: true }));
  },
  startEchoTest: () => refusing(request<EchoTestResponse>("POST", "/calls/echo-test")),
};

/** Lets the phone distinguish a refusal by the service from a missing answer. */
async function refusing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.fromService) throw error;
    const { status, code, message, credit, price } = error;
    throw new ServiceRefusal({ status, code, message, credit, price });
  }
}
