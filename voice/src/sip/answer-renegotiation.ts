import type { SessionDelegate } from "sip.js/lib/core/index.js";

const SDP_TYPE = "application/sdp";

/**
 * Answers re-INVITEs of the far end (RFC 3261 §14.2). With an offer: our answer, or 488 when there is none. Without: our present session
 * is the offer, and the far end's answer comes with its ACK.
 * @param ownSdp what we offer when asked.
 * @param answer our answer to an offer; a rejection refuses it.
 */
export function answerRenegotiation(
  ownSdp: string,
  answer: (sdp: string) => Promise<string>,
): Pick<SessionDelegate, "onInvite" | "onAck"> {
  let present = ownSdp;
  return {
    onInvite: (request) => {
      const offer = request.message.body;
      const accept = (content: string): void => {
        present = content;
        request.accept({
          statusCode: 200,
          extraHeaders: [`Contact: ${request.message.ruri === undefined ? "" : `<${request.message.ruri.toString()}>`}`],
          body: { contentDisposition: "session", contentType: SDP_TYPE, content },
        });
      };
      if (!offer) return accept(present);
      answer(offer)
        .then(accept, () => {
          request.reject({ statusCode: 488 });
        })
        .catch(() => undefined); // the call ended meanwhile: nobody waits for the answer
    },
    onAck: async (ack) => {
      if (ack.message.body) await answer(ack.message.body);
    },
  };
}
