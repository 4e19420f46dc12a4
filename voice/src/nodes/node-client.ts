import http from "node:http";
import https from "node:https";

/** Below the service's own patience with a command (4 s). */
export const NODE_DEADLINE_MS = 2_000;
const MAX_SOCKETS = 64;
/** The list of ten thousand calls has about 10 MB. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Says which node a request of another node is meant for. Such a request is never forwarded again. */
export const FOR_NODE = "x-farline-node";
/** The node that took the request is another one than it was meant for: the list of nodes is wrong. */
export const WRONG_NODE_STATUS = 421;

/** One exchange of those behind the service's one name. */
export interface OtherNode {
  readonly name: string;
  /** Its control listener. */
  readonly url: URL;
}

export interface NodeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface NodeAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The node gave no answer of its own: what it knows, and whether it did what it was asked, is unknown. */
export class NodeUnreachable extends Error {}

/** Asks other nodes over their control listeners, with the key that they share. */
export class NodeClient {
  readonly #authorization: string;
  readonly #agents = {
    "http:": new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
    "https:": new https.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
  };

  constructor(apiKey: string) {
    this.#authorization = `Bearer ${apiKey}`;
  }

  /** What a request to a node starts from; `agent: null` gives it a connection of its own. */
  request(node: OtherNode, { method, path, headers = {} }: NodeRequest, { agent = true } = {}): http.ClientRequest {
    const secure = node.url.protocol === "https:";
    return (secure ? https : http).request({
      protocol: node.url.protocol,
      hostname: node.url.hostname.replace(/^\[|\]$/g, ""),
      port: node.url.port,
      method,
      path,
      agent: agent ? this.#agents[secure ? "https:" : "http:"] : false,
      headers: { ...headers, authorization: this.#authorization, [FOR_NODE]: node.name },
    });
  }

  /** @throws NodeUnreachable without an answer of that very node within two seconds */
  async ask(node: OtherNode, request: NodeRequest): Promise<NodeAnswer> {
    let answer: NodeAnswer;
    try {
      answer = await this.#exchange(node, request);
    } catch (error) {
      throw new NodeUnreachable(`The exchange node ${node.name} does not answer.`, { cause: error });
    }
    // Our key was right here: a node that refuses it, or has another name, is not set up like this one.
    if (answer.status === 401 || answer.status === WRONG_NODE_STATUS)
      throw new NodeUnreachable(`At the address of the exchange node ${node.name} answers another one (${answer.status}).`);
    return answer;
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #exchange(node: OtherNode, request: NodeRequest): Promise<NodeAnswer> {
    return new Promise((resolve, reject) => {
      const sent = this.request(node, request);
      const timer = setTimeout(() => sent.destroy(new Error("no answer in time")), NODE_DEADLINE_MS);
      const fail = (error: Error): void => {
        clearTimeout(timer);
        reject(error);
      };
      sent.on("error", fail);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes > MAX_ANSWER_BYTES) sent.destroy(new Error("too long an answer"));
        });
        response.on("error", fail);
        response.on("end", () => {
          clearTimeout(timer);
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers["content-type"] ?? "application/json",
            body: Buffer.concat(chunks).toString("utf8"),
          });
        });
      });
      sent.end(request.body);
    });
  }
}
