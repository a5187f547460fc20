const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;

/**
 * Separates lines of server-sent events from comments, which start with a colon. Engines send comments to keep a connection
 * open while no token is ready. Chunks may end anywhere.
 */
export class EventLines {
  /** The kind of the line that the last chunk left open. */
  #line: "start" | "comment" | "event" = "start";

  /** Reads the next chunk. Returns whether it contains a part of an event. */
  push(chunk: Uint8Array): boolean {
    let holdsEvent = false;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === lineFeed || byte === carriageReturn) this.#line = "start";
      else if (this.#line !== "comment") {
        if (this.#line === "start" && byte === colon) this.#line = "comment";
        else {
          this.#line = this.#lineAtEnd(chunk, at);
          holdsEvent = true;
          break;
        }
      }
    }
    return holdsEvent;
  }

  /** Returns the kind of the last line of a chunk, whose line at `event` belongs to an event. */
  #lineAtEnd(chunk: Uint8Array, event: number): "start" | "comment" | "event" {
    let start = chunk.length;
    while (start > event && chunk[start - 1] !== lineFeed && chunk[start - 1] !== carriageReturn)
      start -= 1;
    if (start === event) return "event";
    if (start === chunk.length) return "start";
    return chunk[start] === colon ? "comment" : "event";
  }
}
