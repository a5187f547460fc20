import { Flow } from "./flow.ts";
import type { FlowRequest } from "./flow-request.ts";
import type { BandFairness, OrderingPolicy } from "./policies.ts";
import type { BandTemplate } from "./settings.ts";

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

  hasRoom(bytes: number): boolean {
    return this.requests < this.maxRequests && this.bytes + bytes <= this.maxBytes;
  }

  flow(id: string): Flow<Request> {
    const known = this.flows.get(id);
    if (known !== undefined) return known;
    const flow = new Flow<Request>(id, this);
    this.flows.set(id, flow);
    return flow;
  }

  forget(flow: Flow<Request>): void {
    this.flows.delete(flow.id);
    this.fairness.forget(flow);
  }
}
