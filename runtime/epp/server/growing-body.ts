import type { RequestError } from "../../../scheduling/request-error.ts";
import type { BodyBudget, HeldBody } from "../request-path/body-budget.ts";

const noBytes: Buffer = Buffer.alloc(0);
const firstCapacity = 2 * 1024;
/** A client may say that much will come before any of it is here: it is only reserved. */
const mostExpected = 256 * 1024;

/** A body that comes in pieces, in one buffer, so that a byte costs a byte however it comes. */
export class GrowingBody implements HeldBody {
  readonly #budget: BodyBudget;
  readonly #mayBeKept: boolean;
  readonly #onGivenWay: (error: RequestError) => void;
  #buffer: Buffer = noBytes;
  #length = 0;
  #expected = firstCapacity;
  /** Bytes that are kept of its request besides. */
  #besides = 0;
  /** Priority of its request, as far as it is known. */
  priority = 0;

  /**
   * @param onGivenWay called where its room is given to another body
   * @param mayBeKept the body may wait when it is whole
   */
  constructor(budget: BodyBudget, onGivenWay: (error: RequestError) => void, mayBeKept = false) {
    this.#budget = budget;
    this.#mayBeKept = mayBeKept;
    this.#onGivenWay = onGivenWay;
  }

  get length(): number {
    return this.#length;
  }

  /** So many bytes will come, as the client says. */
  expect(length: number): void {
    this.#budget.admit(length);
    if (length > 0) this.#expected = Math.min(length, mostExpected);
  }

  /**
   * So many bytes more are kept of its request for as long as it comes: headers, metadata.
   * @throws RequestError where there is no room
   */
  keepBeside(bytes: number): void {
    if (bytes === 0) return;
    this.#besides += bytes;
    this.#budget.hold(this, this.#buffer.length + this.#besides);
  }

  /** What came so far. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /**
   * @param isLast nothing follows, so that the only piece of a body need not be copied
   * @throws RequestError where it is too large, or where there is no room
   */
  append(piece: Buffer, isLast: boolean): void {
    const length = this.#length + piece.length;
    this.#budget.admit(length);
    if (this.#length === 0 && isLast) {
      this.#budget.hold(this, length + this.#besides);
      // What the network brought it with would be kept with it.
      this.#buffer = this.#mayBeKept ? Buffer.from(piece) : piece;
    } else {
      const capacity = this.#capacityFor(length);
      // Held anew with each piece, since that tells one that comes from one that has stalled.
      this.#budget.hold(this, capacity + this.#besides);
      this.#growTo(capacity);
      this.#buffer.set(piece, this.#length);
    }
    this.#length = length;
  }

  /**
   * The body waits, whole: it takes room whatever its size, and gives way to no other.
   * @throws RequestError where there is no room
   */
  keep(): void {
    this.#budget.keep(this, this.#buffer.length + this.#besides);
  }

  giveWay(error: RequestError): void {
    this.release();
    this.#onGivenWay(error);
  }

  /** Lets go of the bytes. */
  release(): void {
    this.#budget.release(this);
    this.#buffer = noBytes;
    this.#length = 0;
    this.#besides = 0;
  }

  #capacityFor(length: number): number {
    let capacity = Math.max(this.#buffer.length, this.#expected);
    while (capacity < length) capacity *= 2;
    return Math.min(capacity, Math.max(length, this.#budget.maxBody));
  }

  #growTo(capacity: number): void {
    if (capacity <= this.#buffer.length) return;
    const wider = Buffer.allocUnsafe(capacity);
    wider.set(this.bytes);
    this.#buffer = wider;
  }
}
