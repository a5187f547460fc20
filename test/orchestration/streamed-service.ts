import { type LoadedRequest, startRate } from "../traffic/steady-load.ts";
import { streamAnswer } from "../traffic/streams.ts";
import type { EngineCluster } from "./engine-cluster.ts";
import type { RollingService } from "./rolling-service.ts";

export const perSecond = 30;
/** Most answers take half a second; one in ten takes 8 s, longer than the notice that an engine gets. */
const tokens = { short: 25, long: 400 };

export interface ServiceStream {
  /** Waits for further answers and ends the stream. */
  stop(): Promise<StreamResult>;
}

export interface StreamResult {
  readonly requests: readonly LoadedRequest[];
  /** Messages of requests that were lost or cut. */
  readonly errors: readonly string[];
}

/** Streams answers of a service until the end. */
export async function streamService(
  cluster: Pick<EngineCluster, "serve">,
  { part }: Pick<RollingService, "part">,
): Promise<ServiceStream> {
  const traffic = await cluster.serve(part);
  let sent = 0;
  const load = startRate(traffic.client, perSecond, (client) => {
    sent += 1;
    return streamAnswer(client, sent % 10 === 0 ? tokens.long : tokens.short);
  });
  await load.answered(perSecond);
  return {
    async stop() {
      await load.answered(perSecond);
      const requests = await load.stop();
      await traffic.stop();
      return { requests, errors: requests.flatMap(({ error }) => error?.message ?? []) };
    },
  };
}

/** Returns the images of the prefiller and the decoder of each request with a prefill. */
export function imagePairs({ engines }: EngineCluster, namespace: string): [string, string][] {
  const pods = engines.all.filter(({ pod }) => pod.metadata?.namespace === namespace);
  const images = pods.map(({ pod, server }) => {
    const image = pod.spec?.containers.find(({ name }) => name === "vllm")?.image ?? "";
    return { ip: pod.status?.podIP, image, served: server.served };
  });
  const imageAt = new Map(images.map(({ ip, image }) => [ip, image]));
  return images.flatMap(({ image, served }) =>
    served.flatMap(({ prefiller }): [string, string][] => {
      const from = prefiller === undefined ? undefined : imageAt.get(prefiller.split(":")[0]);
      return from === undefined ? [] : [[from, image]];
    }),
  );
}
