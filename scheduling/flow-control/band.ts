import { Flow } from "./flow.ts";
import type { FlowRequest } from "./flow-request.ts";
import type { BandFairness, OrderingPolicy } from "./policies.ts";
import type { BandTemplate } from "./settings.ts";
import type { Waiting } from "./waiting.ts";

/** The flows of one priority. */
export class Band<Request extends FlowRequest> {
  readonly priority: number;
  /** It is configured, and stays when it is idle. */
  readonly stays: boolean;
  readonly weight: number;
  readonly maxRequests: number;
  readonly maxBytes: number;
  readonly ordering: OrderingPolicy;
  readonly fairness: BandFairness;
  readonly flows = new Map<string, Flow<Request>>();
  requests = 0;
  bytes = 0;
  /** Flows that have a request, waiting or on its way. */
  busyFlows = 0;
  /** Since when it has none. */
  idleSince: number | undefined;

  constructor(priority: number, template: BandTemplate, stays: boolean) {
    this.priority = priority;
    this.stays = stays;
    this.weight = template.weight;
    this.maxRequests = template.maxRequests;
    this.maxBytes = template.maxBytes;
    this.ordering = template.ordering;
    this.fairness = template.fairness.forBand();
  }

  hasCapacity(bytes: number): boolean {
    return this.requests < this.maxRequests && this.bytes + bytes <= this.maxBytes;
  }

  flow(id: string): Flow<Request> {
    const known = this.flows.get(id);
    if (known !== undefined) return known;
    const flow = new Flow<Request>(id, this);
    this.flows.set(id, flow);
    return flow;
  }

  /**
   * The request whose place one of a flow may take that has so many in the queue: the newest of the flow that has most; undefined
   * where none has more than that flow then would, or where flows do not share the queue.
   */
  newestOfLongest(requests: number): Waiting<Request> | undefined {
    if (this.fairness.sharesQueue !== true) return undefined;
    let most = requests + 1;
    let longest: Flow<Request> | undefined;
    for (const flow of this.flows.values()) {
      if (flow.requests <= most) continue;
      most = flow.requests;
      longest = flow;
    }
    return longest?.newest;
  }

  forget(flow: Flow<Request>): void {
    this.flows.delete(flow.id);
    this.fairness.forget(flow);
  }
}
