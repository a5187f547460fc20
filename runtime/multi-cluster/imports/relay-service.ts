import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import type { Clock } from "../../epp/clock.ts";
import { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { canEndAtOnce } from "../../epp/server/end-at-once.ts";
import { type ExtProcService, goesOn } from "../../epp/server/ext-proc-service.ts";
import { OpenStreams, type StreamLimits } from "../../epp/server/open-streams.ts";
import { HeldBytes, shareOfHeap } from "../../manager/held-bytes.ts";
import { hopsOfValue } from "./hop-mark.ts";
import type { ImportTelemetry } from "./import-telemetry.ts";
import { type Destination, maxKeptBytes, RelayStream } from "./relay-stream.ts";

export interface RelayServiceOptions extends Partial<StreamLimits> {
  /** Returns the clusters for a request with this hop count, in the order in which they are tried. */
  readonly destinations: (hops: number) => readonly Destination[];
  /** `namespace/name` of the import. */
  readonly importName: string;
  /** Maximum size of a message that is parsed here, in bytes; -1 for no limit. */
  readonly maxReceiveBytes: number;
  /** Maximum bytes buffered for all streams together. Default: a quarter of the heap. */
  readonly maxTotalKeptBytes?: number | undefined;
  readonly telemetry: ImportTelemetry;
  readonly clock: Clock;
}

/** Implements envoy.service.ext_proc.v3.ExternalProcessor for an import: relays each stream to a cluster. */
export function relayService(options: RelayServiceOptions): ExtProcService {
  const {
    destinations,
    importName,
    maxReceiveBytes,
    maxTotalKeptBytes,
    telemetry,
    clock,
    ...limits
  } = options;
  const open = new OpenStreams(limits, clock);
  const budget = new BodyBudget({
    maxBody: maxKeptBytes,
    maxTotal: maxTotalKeptBytes,
    now: () => clock.now(),
  });
  // Half of the usual budget: each stream also keeps its request until a cluster responds.
  const held = new HeldBytes(shareOfHeap(8));
  return {
    openStreams: () => open.count,
    serve(proxy, headers) {
      open.enter(proxy, () => {
        telemetry.streams.streamOpened();
        const stream = new RelayStream(proxy, {
          ...{ importName, maxReceiveBytes, budget, held, destinations },
          hops: hopsOfValue(headers[hopsHeader]),
          proxyGoesOn: goesOn(headers) && canEndAtOnce(proxy),
          events: telemetry.relays,
        });
        const onClose = (seconds: number) => {
          stream.close();
          telemetry.streams.streamClosed(seconds, stream.outcome);
        };
        return { stream, onClose };
      });
    },
  };
}
