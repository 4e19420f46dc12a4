import { createSocket, type RemoteInfo } from "node:dgram";

export interface LossyRelay {
  readonly port: number;
  readonly dropped: string[];
  close(): Promise<void>;
}

/** A UDP relay between caller and carrier that drops datagrams by `lose`. Rewrites Contact to stay in the path. */
export async function startLossyRelay(
  carrierPort: number,
  lose: (text: string, from: "caller" | "carrier") => boolean,
): Promise<LossyRelay> {
  const socket = createSocket("udp4");
  const dropped: string[] = [];
  let caller: RemoteInfo | null = null;
  socket.on("message", (datagram, from) => {
    const side = from.port === carrierPort ? "carrier" : "caller";
    if (side === "caller") caller = from;
    const text = datagram.toString();
    if (lose(text, side)) dropped.push(text);
    else if (side === "caller") socket.send(datagram, carrierPort, "127.0.0.1");
    else if (caller !== null)
      socket.send(
        text.replace(`<sip:carrier@127.0.0.1:${carrierPort}>`, `<sip:carrier@127.0.0.1:${socket.address().port}>`),
        caller.port,
        caller.address,
      );
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return { port: socket.address().port, dropped, close: () => new Promise((resolve) => socket.close(() => resolve())) };
}

/** True only for the first datagram that matches. */
export function once(pattern: RegExp, side: "caller" | "carrier"): (text: string, from: "caller" | "carrier") => boolean {
  let lost = false;
  return (text, from) => {
    if (lost || from !== side || !pattern.test(text)) return false;
    lost = true;
    return true;
  };
}
