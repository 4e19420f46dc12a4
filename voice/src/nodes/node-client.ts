import http from "node:http";
import https from "node:https";

/** Below the service's time-out for a command (4 s). */
export const NODE_DEADLINE_MS = 2_000;
const MAX_SOCKETS = 64;
/** A list of ten thousand calls has about 10 MB. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** The target node of a forwarded request, which is never forwarded again. */
export const FOR_NODE = "x-farline-node";
/** The request reached a node other than its target: the list of nodes is wrong. */
export const WRONG_NODE_STATUS = 421;

/** Another exchange behind the same name. */
export interface OtherNode {
  readonly name: string;
  /** Of its control listener. */
  readonly url: URL;
}

export interface NodeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface NodeResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The node did not respond, so it is unknown whether it handled the request. */
export class NodeUnreachable extends Error {}

/** Sends requests to other nodes' control listeners with the shared key. */
export class NodeClient {
  readonly #authorization: string;
  readonly #agents = {
    "http:": new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
    "https:": new https.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
  };

  constructor(apiKey: string) {
    this.#authorization = `Bearer ${apiKey}`;
  }

  /** Starts a request to a node. `agent: false` gives it a separate connection. */
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

  /** @throws NodeUnreachable without a response of this node within two seconds */
  async send(node: OtherNode, request: NodeRequest): Promise<NodeResponse> {
    let response: NodeResponse;
    try {
      response = await this.#exchange(node, request);
    } catch (error) {
      throw new NodeUnreachable(`The exchange node ${node.name} does not respond.`, { cause: error });
    }
    // A server that refuses our key or has another name is not the configured node.
    if (response.status === 401 || response.status === WRONG_NODE_STATUS)
      throw new NodeUnreachable(`The address of the exchange node ${node.name} leads to another server (${response.status}).`);
    return response;
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #exchange(node: OtherNode, request: NodeRequest): Promise<NodeResponse> {
    return new Promise((resolve, reject) => {
      const sent = this.request(node, request);
      const timer = setTimeout(() => sent.destroy(new Error("no response in time")), NODE_DEADLINE_MS);
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
          if (bytes > MAX_RESPONSE_BYTES) sent.destroy(new Error("response too long"));
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
