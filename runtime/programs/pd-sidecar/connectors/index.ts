import type { KvConnectorName } from "../../../../sdk/engines/interface/engine.ts";
import type { Connector } from "./connector.ts";
import { mooncake } from "./mooncake.ts";
import { nixlv2 } from "./nixlv2.ts";
import { offloading } from "./offloading.ts";
import { sglang } from "./sglang.ts";
import { sharedStorage } from "./shared-storage.ts";

/** Ports of prefillers at which decoders find the KV cache. */
export interface ConnectorPorts {
  readonly sglangBootstrap: number;
  readonly mooncakeBootstrap: number;
  readonly offloading: number;
}

/** Connectors by value of `--kv-connector`. */
export const connectors: Readonly<Record<KvConnectorName, (ports: ConnectorPorts) => Connector>> = {
  nixlv2: () => nixlv2,
  sglang: ({ sglangBootstrap }) => sglang(sglangBootstrap),
  mooncake: ({ mooncakeBootstrap }) => mooncake(mooncakeBootstrap),
  offloading: ({ offloading: port }) => offloading(port),
  "shared-storage": () => sharedStorage,
};
