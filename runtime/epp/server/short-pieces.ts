import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { limits } from "../../limits.ts";

/** Pieces of fewer bytes count as short: their overhead exceeds their content. */
const shortPieceBytes = 64;

/** Counts the short pieces of a body. */
export class ShortPieces {
  #count = 0;

  /** @throws RequestError BadRequest if there are more than `limits.shortPieces` */
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
