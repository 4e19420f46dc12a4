import type { SessionDelegate } from "sip.js/lib/core/index.js";
import { SDP_TYPE } from "../sip-core.ts";

/** Our side of a session as the far end knows it. */
export interface LocalSession {
  /** The description that we sent last. */
  present: string;
  /** Our answer to an offer; a rejection refuses it. */
  answer(sdp: string): Promise<string>;
  /** Further header lines of an accepting answer. `refresh`: the far end's Session-Expires, if it sent one. */
  accepted(refresh: string | undefined): string[];
}

/**
 * Answers re-INVITEs of the far end (RFC 3261 §14.2). With an offer: our answer, or 488 when there is none. Without: our present session
 * is the offer, and the far end's answer comes with its ACK.
 */
export function answerRenegotiation(session: LocalSession): Pick<SessionDelegate, "onInvite" | "onAck"> {
  return {
    onInvite: (request) => {
      const { message } = request;
      const offer = message.body;
      const accept = (content: string): void => {
        session.present = content;
        request.accept({
          statusCode: 200,
          extraHeaders: [
            `Contact: ${message.ruri === undefined ? "" : `<${message.ruri.toString()}>`}`,
            ...session.accepted(message.getHeader("session-expires")),
          ],
          body: { contentDisposition: "session", contentType: SDP_TYPE, content },
        });
      };
      if (!offer) return accept(session.present);
      session
        .answer(offer)
        .then(accept, () => {
          request.reject({ statusCode: 488 });
        })
        .catch(() => undefined); // the call ended meanwhile: nobody waits for the answer
    },
    // While a promise is open the library refuses the next re-INVITE, which over TCP may come with the ACK.
    onAck: ({ message }) => (message.body ? session.answer(message.body).then(() => undefined) : undefined),
  };
}
