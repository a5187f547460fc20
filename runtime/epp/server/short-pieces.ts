import { RequestError } from "../../../scheduling/request-error.ts";
import { limits } from "../../limits.ts";

/** A shorter piece of a body costs more than what it brings. */
const shortPieceBytes = 64;

/** Counts the short pieces in which a body comes. */
export class ShortPieces {
  #count = 0;

  /** @throws RequestError BadRequest where there are too many */
  count(piece: Buffer): void {
    if (piece.length >= shortPieceBytes) return;
    this.#count += 1;
    const most = limits.shortPieces.value;
    if (this.#count > most)
      throw new RequestError(
        "BadRequest",
        `the request body arrived in more than ${most} pieces of less than ${shortPieceBytes} bytes; send longer pieces`,
      );
  }
}
