/** For tests: relays that a simulated network allows or blocks while connections gather candidates. */
export class ScriptedRelays {
  /** The addresses that give a candidate. */
  open: readonly string[] = [];
  /** The addresses that end the gathering without a candidate; all others stay silent. */
  refusing: readonly string[] = [];
  /** The browser cannot gather at all. */
  broken = false;
  readonly asked: RTCConfiguration[] = [];
  openPeers = 0;
  readonly peerClass: new (configuration: RTCConfiguration) => EventTarget;

  constructor() {
    // oxlint-disable-next-line typescript/no-this-alias -- the class below has a `this` of its own
    const relays = this;
    this.peerClass = class extends EventTarget {
      readonly #urls: readonly string[];

      constructor(configuration: RTCConfiguration) {
        super();
        relays.asked.push(configuration);
        relays.openPeers += 1;
        this.#urls = (configuration.iceServers ?? []).flatMap(({ urls }) => urls);
      }
      createDataChannel(): void {
        // Its content is never used.
      }
      async setLocalDescription(): Promise<void> {
        if (relays.broken) throw new Error("Gathering is not possible.");
        if (this.#urls.some((url) => relays.open.includes(url)))
          this.#tell({ candidate: "candidate:1 1 udp 1 192.0.2.1 9 typ relay" });
        if (this.#urls.some((url) => relays.refusing.includes(url))) this.#tell(null);
      }
      close(): void {
        relays.openPeers -= 1;
      }
      #tell(candidate: { candidate: string } | null): void {
        this.dispatchEvent(Object.assign(new Event("icecandidate"), { candidate }));
      }
    };
  }
}
