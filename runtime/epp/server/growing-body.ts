import type { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { BodyBudget, HeldBody } from "../request-path/body-budget.ts";

const noBytes: Buffer = Buffer.alloc(0);
const firstCapacity = 2 * 1024;
/** Largest part of an announced length that is allocated in advance, in bytes: the client may send less. */
const mostExpected = 256 * 1024;

/** A body received in pieces, in one buffer, so that its memory does not depend on the size of the pieces. */
export class GrowingBody implements HeldBody {
  readonly #budget: BodyBudget;
  readonly #mayBeKept: boolean;
  readonly #onGivenWay: (error: RequestError) => void;
  #buffer: Buffer = noBytes;
  #length = 0;
  #expected = firstCapacity;
  /** Bytes kept of the request in addition to its body. */
  #besides = 0;
  /** Priority of the request, as known so far. */
  priority = 0;

  /**
   * @param onGivenWay called when the body is evicted for another body
   * @param mayBeKept whether the body may be queued once it is complete
   */
  constructor(budget: BodyBudget, onGivenWay: (error: RequestError) => void, mayBeKept = false) {
    this.#budget = budget;
    this.#mayBeKept = mayBeKept;
    this.#onGivenWay = onGivenWay;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Sets the length that the client announced.
   * @throws RequestError if the body is too large
   */
  expect(length: number): void {
    this.#budget.admit(length);
    if (length > 0) this.#expected = Math.min(length, mostExpected);
  }

  /**
   * Counts bytes that are kept of the request as long as its body: headers and metadata.
   * @throws RequestError if the budget is exhausted
   */
  keepBeside(bytes: number): void {
    if (bytes === 0) return;
    this.#besides += bytes;
    this.#budget.hold(this, this.#buffer.length + this.#besides);
  }

  /** The bytes received so far. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /**
   * @param isLast whether this is the last piece; a body of a single piece need not be copied
   * @throws RequestError if the body is too large or the budget is exhausted
   */
  append(piece: Buffer, isLast: boolean): void {
    const length = this.#length + piece.length;
    this.#budget.admit(length);
    if (this.#length === 0 && isLast) {
      this.#budget.hold(this, length + this.#besides);
      // A view would keep the whole received network buffer alive.
      this.#buffer = this.#mayBeKept ? Buffer.from(piece) : piece;
    } else {
      const capacity = this.#capacityFor(length);
      // Called for every piece, also if the capacity is unchanged: it records that the body has not stalled.
      this.#budget.hold(this, capacity + this.#besides);
      this.#growTo(capacity);
      this.#buffer.set(piece, this.#length);
    }
    this.#length = length;
  }

  /**
   * The body is complete and is queued: all of it counts against the budget, and only higher priorities evict it.
   * @throws RequestError if the budget is exhausted
   */
  keep(): void {
    this.#budget.keep(this, this.#buffer.length + this.#besides);
  }

  giveWay(error: RequestError): void {
    this.release();
    this.#onGivenWay(error);
  }

  /** Drops the bytes and frees their budget. */
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
