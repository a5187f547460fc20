import { Flow } from "./flow.ts";
import type { FlowRequest } from "./flow-request.ts";
import { OldestTurns } from "./oldest-turns.ts";
import type { BandFairness, FairFlow, OrderingPolicy } from "./policies.ts";
import type { BandTemplate } from "./settings.ts";
import type { Waiting } from "./waiting.ts";

/** The flows of one priority. */
export class Band<Request extends FlowRequest> {
  readonly priority: number;
  /** Whether the band is configured, and therefore kept while it is idle. */
  readonly stays: boolean;
  readonly weight: number;
  readonly maxRequests: number;
  readonly maxBytes: number;
  readonly ordering: OrderingPolicy;
  readonly fairness: BandFairness;
  /** Turns of the band's oldest request, if flows are one queue; undefined if each flow has its turns. */
  readonly turns: OldestTurns | undefined;
  readonly flows = new Map<string, Flow<Request>>();
  requests = 0;
  bytes = 0;
  /** Number of flows with queued or in-flight requests. */
  busyFlows = 0;
  /** Time since when the band has no such flow; undefined while it has one. */
  idleSince: number | undefined;

  constructor(priority: number, template: BandTemplate, stays: boolean) {
    this.priority = priority;
    this.stays = stays;
    this.weight = template.weight;
    this.maxRequests = template.maxRequests;
    this.maxBytes = template.maxBytes;
    this.ordering = template.ordering;
    this.fairness = template.fairness.forBand();
    const { oldestShare = 0 } = this.ordering;
    this.turns = this.fairness.ignoresFlows ? new OldestTurns(oldestShare) : undefined;
  }

  /** Returns the flow whose turn it is; undefined if none has a request. */
  pick(now: number): FairFlow | undefined {
    return this.fairness.pick(now, this.turns?.isNext === true);
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
   * Returns the newest request of the longest flow, which a new request may displace. Returns undefined if no flow is
   * longer than the flow of the new request would become, or if flows do not share the queue.
   *
   * @param requests queued requests of the new request's flow
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
