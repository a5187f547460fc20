import type { Endpoint, LiveState, ModelServerMetrics } from "../endpoints/endpoint.ts";
import { textKey } from "../endpoints/rendezvous.ts";
import { isForStage } from "../endpoints/roles.ts";
import type { ServerWork } from "../server-model/estimated-concurrency.ts";
import type { ServerModel, ServerModels } from "../server-model/server-models.ts";
import type { Server } from "./server.ts";

/** The servers of a pool, and what follows from their list. */
export class Pool {
  readonly endpoints: readonly Endpoint[];
  readonly servers: readonly Server[];
  /** The servers in an order that is the same in all pickers. */
  readonly inOrder: readonly Server[];
  /** The endpoints that compute prompts. */
  readonly computing: readonly Endpoint[];
  readonly #models: ReadonlyMap<LiveState, ServerModel>;
  /** Cached result of `fewestSlots`; undefined if a limit may have changed. */
  #fewestSlots: number | undefined;

  constructor(endpoints: readonly Endpoint[], models: ServerModels) {
    const hasPrefillers = endpoints.some(({ labels }) => isForStage(labels, "prefill"));
    this.endpoints = endpoints;
    this.servers = endpoints.map((endpoint) => {
      const { live, labels } = endpoint;
      const [prefills, decodes] = [isForStage(labels, "prefill"), isForStage(labels, "decode")];
      const computesPrompts = prefills || !hasPrefillers;
      return {
        model: models.of(live),
        endpoint,
        prefills,
        decodes,
        computesPrompts,
        full: undefined,
      };
    });
    this.inOrder = this.servers
      .map((server) => ({ server, key: textKey(server.endpoint.id) }))
      .sort((a, b) => a.key - b.key)
      .map(({ server }) => server);
    this.computing = this.servers.flatMap((each) => (each.computesPrompts ? each.endpoint : []));
    this.#models = new Map(this.servers.map(({ model }) => [model.live, model]));
  }

  /** Returns the model of an endpoint; undefined if it is not in the pool. */
  modelOf({ live }: Endpoint): ServerModel | undefined {
    return this.#models.get(live);
  }

  /** The lowest known concurrency limit of all servers; infinite if none is known. */
  get fewestSlots(): number {
    this.#fewestSlots ??= Math.min(...this.servers.map(({ model }) => model.slots.limit));
    return this.#fewestSlots;
  }

  /** Updates the slots of a server from its metrics. */
  learn({ slots }: ServerModel, metrics: ModelServerMetrics, work: ServerWork): void {
    const { limit } = slots;
    slots.read(metrics, work);
    if (slots.limit !== limit) this.#fewestSlots = undefined;
  }
}
