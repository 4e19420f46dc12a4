import { Grammar, IncomingRequestMessage, IncomingResponseMessage, type LoggerFactory, Parser } from "sip.js/lib/core/index.js";
import type { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import { keepBestChallenge } from "./digest.ts";
import type { UpdateAnswer } from "./invite/call-attempt.ts";
import type { CallRegistry } from "./call-registry.ts";
import { ALLOWED_METHODS, credentialsOf, rejectionStatus, SDP_TYPE, unsupportedTags } from "./sip-core.ts";
import type { TrunkLine } from "./trunk-line.ts";

export interface IncomingMessagesOptions {
  readonly registry: CallRegistry;
  /** All trunks, including those that only finish their calls. */
  readonly lines: () => Iterable<TrunkLine>;
  readonly loggerFactory: LoggerFactory;
  readonly limitedLog: RateLimitedLog;
}

const UNKNOWN_DIALOG: UpdateAnswer = { statusCode: 481, extraHeaders: [], content: null };

/** Dispatches each message to its trunk. */
export class IncomingMessages {
  readonly #options: IncomingMessagesOptions;

  constructor(options: IncomingMessagesOptions) {
    this.#options = options;
  }

  /** @param line the trunk whose TCP or TLS connection received the message; null for the shared UDP socket */
  receive(text: string, line: TrunkLine | null): void {
    const message = Parser.parseMessage(text, this.#options.loggerFactory.getLogger("sip.parser"));
    const lines = line === null ? [...this.#options.lines()].filter(({ trunk }) => trunk.transport === "udp") : [line];
    if (message instanceof IncomingResponseMessage) this.#onResponse(message, lines);
    else if (message instanceof IncomingRequestMessage) this.#onRequest(message, lines);
  }

  #onResponse(response: IncomingResponseMessage, lines: readonly TrunkLine[]): void {
    const line = lines.find(({ core }) => core.userAgentClients.has(response.viaBranch + response.method));
    if (line === undefined) return;
    this.#options.registry.attempt(response.callId, line)?.responseReceived();
    keepBestChallenge(response);
    credentialsOf(line.core)?.storeChallenge(response);
    // sip.js drops responses without Contact, which some carriers omit from 18x. Fall back to the trunk's address.
    const makesDialog = response.method === "INVITE" && (response.statusCode ?? 0) > 100 && (response.statusCode ?? 0) < 300;
    if (makesDialog && !response.hasHeader("contact")) addContact(response, `<sip:${line.trunk.host}:${line.trunk.port}>`);
    line.core.receiveIncomingResponseFromTransport(response);
  }

  #onRequest(request: IncomingRequestMessage, lines: readonly TrunkLine[]): void {
    const line = lines.find(({ contactUser }) => contactUser === request.ruri?.user) ?? lines[0];
    // sip.js throws when it answers a request without a valid To.
    if (line === undefined || request.parseHeader("to") === undefined) return;
    const { core } = line;
    const rejection = rejectionStatus(request);
    if (rejection !== null)
      core.replyStateless(request, { statusCode: rejection, extraHeaders: [`Allow: ${ALLOWED_METHODS.join(", ")}`] });
    else if (request.method === "OPTIONS" && !request.toTag) {
      core.replyStateless(request, {
        statusCode: 200,
        extraHeaders: [`Allow: ${ALLOWED_METHODS.join(", ")}`, "Accept: application/sdp"],
      });
    } else if (unsupportedTags(request).length > 0) {
      core.replyStateless(request, { statusCode: 420, extraHeaders: [`Unsupported: ${unsupportedTags(request).join(", ")}`] });
    } else if (request.toTag && request.method !== "ACK" && line.contactUser !== request.ruri?.user) {
      // sip.js would respond 404, but it is the dialog that does not exist (RFC 3261 §12.2.2).
      core.replyStateless(request, { statusCode: 481 });
    } else if (request.method === "UPDATE")
      this.#onUpdate(request, line).catch((error: unknown) =>
        this.#options.limitedLog.warn({ err: error, call: request.callId }, "SIP message not handled"),
      );
    else core.receiveIncomingRequestFromTransport(request);
  }

  /** sip.js does not support UPDATE (RFC 3311). A retransmission after the response gets the same response. */
  async #onUpdate(request: IncomingRequestMessage, line: TrunkLine): Promise<void> {
    const attempt = this.#options.registry.attempt(request.callId, line);
    const answer = attempt === null ? UNKNOWN_DIALOG : await attempt.update(request);
    if (answer === null) return;
    const { statusCode, extraHeaders, content } = answer;
    line.core.replyStateless(request, {
      statusCode,
      extraHeaders,
      ...(content === null ? {} : { body: { contentDisposition: "session", contentType: SDP_TYPE, content } }),
    });
  }
}

/** Adds Contact in the form that the parser of sip.js produces: one address, not a list. */
function addContact(response: IncomingResponseMessage, contact: string): void {
  response.headers.Contact = [{ raw: contact, parsed: Grammar.nameAddrHeaderParse(contact) }];
}
