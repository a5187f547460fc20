/** Type of an event, and the identity and versions of its object. */
export interface EventHead {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly metadata: ObjectVersion;
}

export interface ObjectVersion {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion: string;
  /** Increases with each change of the spec. */
  readonly generation?: number;
}

const longestIdentity = 400;
const quote = 0x22;
const backslash = 0x5c;
const brace = 0x7b;
const endBrace = 0x7d;
const bracket = 0x5b;
const endBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

/**
 * Reads the head of an event without parsing the event. API servers write `metadata` before `spec` and `status`, so
 * that only a small part of a large object is read. Returns undefined for bytes in any other form.
 */
export function eventHeadOf(line: Buffer): EventHead | undefined {
  const reader = new MemberReader(line);
  const metadata: Record<string, unknown> = {};
  let type: unknown;
  const readMetadata = () => {
    reader.members((name) => {
      if (wanted.has(name)) metadata[name] = reader.scalar();
      else reader.skip();
      return false;
    });
    return true;
  };
  const readObject = () =>
    reader.members((name) => (name === "metadata" ? readMetadata() : reader.skip()));
  reader.members((name) => {
    if (name === "object") return readObject();
    if (name === "type") type = reader.scalar();
    else reader.skip();
    return false;
  });
  const { name, resourceVersion } = metadata;
  if (typeof name !== "string" || typeof resourceVersion !== "string") return undefined;
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") return undefined;
  return { type, metadata: metadata as unknown as ObjectVersion };
}

const wanted = new Set(["name", "namespace", "uid", "resourceVersion", "generation"]);

/** Walks the members of JSON objects. It checks only the syntax that it needs. */
class MemberReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Calls `read` at the value of each member. `read` moves past the value, or returns true to stop. Returns whether it
   * stopped.
   */
  members(read: (name: string) => boolean): boolean {
    if (this.#bytes[this.#at] !== brace) return this.#fail();
    this.#at += 1;
    while (this.#bytes[this.#at] === quote) {
      const name = this.scalar();
      if (this.#bytes[this.#at] !== colon || name === undefined) return this.#fail();
      this.#at += 1;
      if (read(String(name))) return true;
      if (this.#bytes[this.#at] === comma) this.#at += 1;
    }
    if (this.#bytes[this.#at] !== endBrace) return this.#fail();
    this.#at += 1;
    return false;
  }

  /** A string or number of moderate length; undefined for any other value. */
  scalar(): string | number | undefined {
    const from = this.#at;
    this.skip();
    if (this.#at - from > longestIdentity) return undefined;
    try {
      const value = JSON.parse(this.#bytes.toString("utf8", from, this.#at));
      return typeof value === "string" || typeof value === "number" ? value : undefined;
    } catch {
      return undefined;
    }
  }

  /** Moves past a value. Returns false. */
  skip(): false {
    const bytes = this.#bytes;
    let depth = 0;
    for (; this.#at < bytes.length; this.#at += 1) {
      const byte = bytes[this.#at];
      if (byte === quote) this.#skipString();
      else if (byte === brace || byte === bracket) depth += 1;
      else if (byte === endBrace || byte === endBracket) depth -= 1;
      // A number or a word ends before the next comma or bracket.
      else if (depth > 0 || !this.#isAtEndOfScalar()) continue;
      if (depth > 0) continue;
      this.#at += 1;
      break;
    }
    return false;
  }

  #isAtEndOfScalar(): boolean {
    const next = this.#bytes[this.#at + 1];
    return next === comma || next === endBrace || next === endBracket || next === undefined;
  }

  /** Moves from the opening to the closing quote. */
  #skipString(): void {
    const bytes = this.#bytes;
    let at = this.#at + 1;
    while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
    this.#at = at;
  }

  #fail(): false {
    this.#at = this.#bytes.length;
    return false;
  }
}
