import type { SessionDelegate } from "sip.js/lib/core/index.js";
import { SDP_TYPE } from "../sip-core.ts";

/** Our side of a session. */
export interface LocalSession {
  /** The SDP that we sent last. */
  localSdp: string;
  /** Answers an offer; rejects to refuse it. */
  answer(sdp: string): Promise<string>;
  /** Extra headers of our 2xx. `refresh`: the far end's Session-Expires, if it sent one. */
  accepted(refresh: string | undefined): string[];
}

/**
 * Answers re-INVITEs of the far end (RFC 3261 §14.2). With an offer: our answer, or 488 if we refuse it. Without: we offer our current
 * session, and the far end answers in its ACK.
 */
export function answerRenegotiation(session: LocalSession): Pick<SessionDelegate, "onInvite" | "onAck"> {
  return {
    onInvite: (request) => {
      const { message } = request;
      const offer = message.body;
      const accept = (content: string): void => {
        session.localSdp = content;
        request.accept({
          statusCode: 200,
          extraHeaders: [
            `Contact: ${message.ruri === undefined ? "" : `<${message.ruri.toString()}>`}`,
            ...session.accepted(message.getHeader("session-expires")),
          ],
          body: { contentDisposition: "session", contentType: SDP_TYPE, content },
        });
      };
      if (!offer) return accept(session.localSdp);
      session
        .answer(offer)
        .then(accept, () => {
          request.reject({ statusCode: 488 });
        })
        .catch(() => undefined); // The call ended meanwhile.
    },
    // Returns a promise only for an answer: while one is pending, sip.js refuses the next re-INVITE, which over TCP may follow at once.
    onAck: ({ message }) => (message.body ? session.answer(message.body).then(() => undefined) : undefined),
  };
}
