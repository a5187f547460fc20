import type { Clock } from "../clock.ts";
import type { ExtProcService } from "../server/ext-proc-stream.ts";
import type { ImportTelemetry } from "./import-telemetry.ts";
import { type Destination, RelayStream } from "./relay-stream.ts";

export interface RelayServiceOptions {
  /** The clusters of a new stream, in the order in which they are tried. */
  readonly destinations: () => readonly Destination[];
  /** `namespace/name` of the import. */
  readonly importName: string;
  /** Bytes of the largest message that is read here; -1 for any. */
  readonly maxReceiveBytes: number;
  readonly telemetry: ImportTelemetry;
  readonly clock: Clock;
}

/** envoy.service.ext_proc.v3.ExternalProcessor for an import: each stream goes to a cluster. */
export function relayService(options: RelayServiceOptions): ExtProcService {
  const { destinations, telemetry, clock, ...more } = options;
  let open = 0;
  return {
    openStreams: () => open,
    serve(proxy) {
      const opened = clock.now();
      open += 1;
      telemetry.streams.streamOpened();
      const stream = new RelayStream(proxy, {
        ...more,
        destinations: destinations(),
        events: telemetry.relays,
      });
      proxy.on("close", () => {
        open -= 1;
        stream.close();
        telemetry.streams.streamClosed((clock.now() - opened) / 1000, stream.outcome);
      });
    },
  };
}
