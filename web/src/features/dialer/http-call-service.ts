import { qualityResponse } from "@farline/contract/call-details.ts";
import { callResponse, echoTestResponse, initiateResponse, voiceTokenResponse } from "@farline/contract/calls.ts";
import { anyAnswer, ApiError, request } from "../../service/http.ts";
import { askForLiveCall, thisPage } from "../../service/live-call.ts";
import { ServiceRefusal, type CallService } from "../../phone/call/call-service.ts";

/** What the phone asks of the service, over HTTP. */
export const httpCallService: CallService = {
  getVoiceToken: () => refusing(request("GET", "/calls/token", voiceTokenResponse)),
  initiate: (body, idempotencyKey) =>
    refusing(request("POST", "/calls/initiate", initiateResponse, { body, headers: { "Idempotency-Key": idempotencyKey } })),
  getCall: async (callId, look) => {
    const query = look?.present === true ? `?page=${thisPage()}` : "";
    return (await refusing(request("GET", `/calls/${callId}${query}`, callResponse))).call;
  },
  getLiveCall: (wasIn) => refusing(askForLiveCall(wasIn)),
  leave: async (callId) => {
    await refusing(request("POST", `/calls/${callId}/leave`, anyAnswer, { body: { page: thisPage() }, keepalive: true }));
  },
  hangup: async (callId) => (await refusing(request("POST", `/calls/${callId}/hangup`, callResponse, { keepalive: true }))).call,
  sendControlIds: async (callId, body) => {
    await refusing(request("PATCH", `/calls/${callId}/control-id`, anyAnswer, { body }));
  },
  sendQuality: async (callId, samples) => {
    await refusing(request("POST", `/calls/${callId}/quality`, qualityResponse, { body: { samples }, keepalive: true }));
  },
  startEchoTest: () => refusing(request("POST", "/calls/echo-test", echoTestResponse)),
};

/** The phone knows a refusal by the service from an answer that never came. */
async function refusing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.fromService) throw error;
    throw new ServiceRefusal({ status: error.status, code: error.code, message: error.message, credit: error.credit });
  }
}
