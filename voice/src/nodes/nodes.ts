import { createHash } from "node:crypto";
import { type NodeAnswer, NodeClient, type NodeRequest, type OtherNode } from "./node-client.ts";
import { nodeOfControlId, nodeOfVoiceSdkId } from "./node-ids.ts";

/** Who answers for something: this node, another one, or nobody any more. */
export type Owner = "own" | OtherNode | null;

/**
 * The exchanges behind the service's one name. They share their keys and the list of themselves, nothing else
 * (docs/decisions/038-exchange-nodes.md).
 */
export class Nodes {
  readonly own: string;
  /** All but this one. */
  readonly others: readonly OtherNode[];
  readonly client: NodeClient;

  /** @param all every node by its name, this one too; one alone needs no list */
  constructor(own: string, all: ReadonlyMap<string, URL>, apiKey: string) {
    this.own = own;
    this.others = [...all].filter(([name]) => name !== own).map(([name, url]) => ({ name, url }));
    this.client = new NodeClient(apiKey);
  }

  /** The node that has, or had, a leg. An id that names none is looked up here. */
  ofLeg(controlId: string): Owner {
    return this.#ownerNamed(nodeOfControlId(controlId));
  }

  /** The node that has the calls of a browser's tab. */
  ofBrowser(voiceSdkId: string): Owner {
    return this.#ownerNamed(nodeOfVoiceSdkId(voiceSdkId));
  }

  /** The node that proves a number: always the same one, so that a code is taken back where it was read. */
  ofNumber(number: string): Owner {
    const names = [this.own, ...this.others.map(({ name }) => name)];
    const [first = this.own] = names.toSorted((one, other) => Buffer.compare(weight(other, number), weight(one, number)));
    return this.#ownerNamed(first);
  }

  /** Asks all other nodes. @throws NodeUnreachable if one does not answer, after all have been asked */
  async askOthers(request: NodeRequest): Promise<NodeAnswer[]> {
    const answers = await Promise.allSettled(this.others.map((node) => this.client.ask(node, request)));
    return answers.map((answer) => {
      if (answer.status === "rejected") throw answer.reason;
      return answer.value;
    });
  }

  #ownerNamed(name: string | null): Owner {
    if (name === null || name === this.own) return "own";
    return this.others.find((node) => node.name === name) ?? null;
  }
}

/** Highest random weight: a node more or less moves only the numbers of that node. */
function weight(name: string, number: string): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([name, number]))
    .digest();
}
