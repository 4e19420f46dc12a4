import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

/** Forwards a UDP port of one address to the same port of another, like 1:1 NAT. @returns a function that stops it */
export async function forwardPort(port: number, { from, to }: { from: string; to: string }): Promise<() => Promise<void>> {
  const front = createSocket("udp4").bind(port, from);
  await once(front, "listening");
  const backs = new Map<string, Socket>();
  front.on("message", (packet, sender) => {
    const key = `${sender.address}:${sender.port}`;
    let back = backs.get(key);
    if (back === undefined) {
      back = createSocket("udp4");
      back.on("message", (answer) => front.send(answer, sender.port, sender.address));
      backs.set(key, back);
    }
    back.send(packet, port, to);
  });
  return async () => {
    for (const back of backs.values()) back.close();
    front.close();
    await once(front, "close");
  };
}
