import type { FlowRequest } from "./flow-request.ts";
import type { Waiting } from "./waiting.ts";

/** The queued requests in order of arrival. Adding and removing a request takes O(1). */
export class Arrivals<Request extends FlowRequest> {
  #first: Waiting<Request> | undefined;
  #last: Waiting<Request> | undefined;

  get first(): Waiting<Request> | undefined {
    return this.#first;
  }

  add(waiting: Waiting<Request>): void {
    waiting.before = this.#last;
    if (this.#last === undefined) this.#first = waiting;
    else this.#last.after = waiting;
    this.#last = waiting;
  }

  remove(waiting: Waiting<Request>): void {
    const { before, after } = waiting;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    waiting.before = undefined;
    waiting.after = undefined;
  }
}
