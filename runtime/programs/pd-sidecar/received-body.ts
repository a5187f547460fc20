import type { IncomingMessage } from "node:http";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { JsonError } from "../../epp/payload/json-scanner.ts";
import type { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { GrowingBody } from "../../epp/server/growing-body.ts";
import { Refusal } from "./errors.ts";
import { type RequestBody, RequestBodyReader } from "./request-body.ts";

/** A completely received body. */
export interface Received {
  readonly bytes: Buffer;
  /** Undefined if the body is empty or a list, which has no members that an engine would act on. */
  readonly body: RequestBody | undefined;
}

const openBrace = 0x7b;
const openBracket = 0x5b;

/** The body of a request, received into one buffer and parsed incrementally, so that each byte is stored once. */
export class ReceivedBody {
  readonly #request: IncomingMessage;
  readonly #body: GrowingBody;
  readonly #reader = new RequestBodyReader();
  readonly #mustBeObject: boolean;
  #first: number | undefined;
  #givenWay: (error: RequestError) => void = () => {};

  /** @param mustBeObject whether an empty body or a list is refused */
  constructor(request: IncomingMessage, budget: BodyBudget, mustBeObject: boolean) {
    this.#request = request;
    this.#mustBeObject = mustBeObject;
    this.#body = new GrowingBody(budget, (error) => this.#givenWay(error), true);
  }

  /**
   * Reads the body to its end.
   *
   * @throws Refusal if the body is too long, incomplete or over the memory budget, or is not JSON: an engine may parse
   * more leniently than the sidecar
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

  /** Returns the body's bytes to the memory budget. */
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
        // `close` always follows, and creating an error with a stack for each request takes time.
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
