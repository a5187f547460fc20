import type { IncomingMessage } from "node:http";
import { RequestError } from "../../../scheduling/request-error.ts";
import { JsonError } from "../../epp/payload/json-scanner.ts";
import type { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { GrowingBody } from "../../epp/server/growing-body.ts";
import { Refusal } from "./errors.ts";
import { type RequestBody, RequestBodyReader } from "./request-body.ts";

/** A body that has come whole. */
export interface Received {
  readonly bytes: Buffer;
  /** Undefined where it is empty, or a list, which holds nothing that an engine would act on. */
  readonly body: RequestBody | undefined;
}

const openBrace = 0x7b;
const openBracket = 0x5b;

/** The body of a request: held in one buffer however it comes, and read as it comes, so that a byte costs a byte. */
export class ReceivedBody {
  readonly #request: IncomingMessage;
  readonly #body: GrowingBody;
  readonly #reader = new RequestBodyReader();
  readonly #mustBeObject: boolean;
  #first: number | undefined;
  #givenWay: (error: RequestError) => void = () => {};

  /** @param mustBeObject a body that is empty or a list is refused */
  constructor(request: IncomingMessage, budget: BodyBudget, mustBeObject: boolean) {
    this.#request = request;
    this.#mustBeObject = mustBeObject;
    this.#body = new GrowingBody(budget, (error) => this.#givenWay(error), true);
  }

  /**
   * Reads it to its end.
   *
   * @throws Refusal for a body that is too long, breaks off or finds no room, and for one that is not JSON: an engine
   * may read it more leniently than the sidecar
   */
  async whole(): Promise<Received> {
    try {
      await this.#collect();
      const { bytes } = this.#body;
      if (bytes.length > 0) this.#body.keep();
      return { bytes, body: this.#isObject() ? this.#reader.end(bytes) : undefined };
    } catch (error) {
      this.release();
      this.#request.removeAllListeners("data").resume();
      throw this.#refusalOf(error);
    }
  }

  /** Nobody needs it any more. */
  release(): void {
    this.#body.release();
  }

  #collect(): Promise<void> {
    const request = this.#request;
    return new Promise((resolve, reject) => {
      this.#givenWay = reject;
      const take = (piece: Buffer) => {
        try {
          this.#take(piece);
        } catch (error) {
          request.off("data", take);
          reject(error);
        }
      };
      const length = Number(request.headers["content-length"] ?? 0);
      try {
        this.#body.expect(length);
      } catch (error) {
        reject(error);
        return;
      }
      const brokeOff = () => reject(new Error("it was not sent completely"));
      const ended = () => {
        // It closes in any case, and an error with its stack costs each request time.
        request.off("close", brokeOff);
        resolve();
      };
      request.on("data", take).once("end", ended).once("error", brokeOff).once("close", brokeOff);
    });
  }

  #take(piece: Buffer): void {
    this.#body.append(piece, false);
    this.#first ??= piece.find((byte) => byte > 0x20);
    if (this.#first !== undefined && this.#isObject()) this.#reader.push(this.#body.bytes);
  }

  #isObject(): boolean {
    return this.#mustBeObject || (this.#first !== undefined && this.#first !== openBracket);
  }

  #refusalOf(error: unknown): Refusal {
    if (error instanceof RequestError)
      return new Refusal(error.status, ...wordsOf(error.status, error.message));
    const { message } = error as Error;
    if (!(error instanceof JsonError))
      return new Refusal(400, "BadRequestError", `The body was not read: ${message}.`);
    const problem = this.#first === openBrace ? message : "it is not a JSON object";
    return new Refusal(400, "BadRequestError", `The body cannot be read: ${problem}.`);
  }
}

const wordsOf = (status: number, message: string): [type: string, message: string] =>
  status === 503
    ? ["ServiceUnavailable", "The sidecar's memory for request bodies is full; try again."]
    : ["BadRequestError", `The body was not read: ${message}.`];
