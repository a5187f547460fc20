import type { V1Container, V1Pod } from "@kubernetes/client-node";

/** Replacements for a pod's network and volumes on one machine without GPUs. */
export interface Place {
  /** Folder of the tiny model. */
  readonly model: string;
  /** Socket at which KV events are published. Another listener has the pod's address and forwards to it. */
  readonly events: string;
}

/** How the engine of a pod is started: the args and env of its container, adapted to one machine without GPUs. */
export interface PodCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly ip: string;
  readonly port: number;
  /** Port of KV events on which another listener forwards to the socket. */
  readonly eventPort: number | undefined;
}

/**
 * Returns the command of a pod's engine. Everything that the plan and the template say stays but for:
 * the model, which is a tiny one under the name of the real one; the address, which all pods of this
 * machine would share; and where KV events are published, since vLLM binds such ports at all addresses or none.
 */
export function podCommand(pod: V1Pod, place: Place): PodCommand {
  const ip = pod.status?.podIP;
  const engine = pod.spec?.containers[0];
  if (ip === undefined || engine === undefined)
    throw new Error(`pod ${pod.metadata?.name} has no address or no container`);
  const env = environmentOf(engine, ip);
  const expand = (word: string) =>
    word.replaceAll(/\$\(([\w.-]+)\)/g, (written, name: string) => env[name] ?? written);
  const words = [...(engine.args ?? [])].map(expand);
  const name = take(words, "--model") ?? "m";
  // Ranks use consecutive ports, and a socket has no port: the pod is the only one on the machine that publishes.
  const ranks = Number(flagValue(words, "--data-parallel-size") ?? 1);
  const events = changeJson(words, "--kv-events-config", (config) => ({
    ...config,
    ...(ranks === 1 && { endpoint: `ipc://${place.events}` }),
    replay_endpoint: String(config.replay_endpoint).replace("*", ip),
  }));
  const port = Number(flagValue(words, "--port") ?? 8000);
  return {
    args: ["serve", place.model, "--served-model-name", name, ...small, "--host", ip, ...words],
    env,
    ip,
    port,
    eventPort: ranks === 1 ? portOf(events?.endpoint) : undefined,
  };
}

/** Added in front of the container's arguments, which win. */
const small = [
  // vLLM 0.32 asks for the tiles of a CPU that has them only in a long prompt: a decoder's first token in bfloat16 is an
  // illegal instruction there.
  ...["--dtype", "float32", "--enforce-eager"],
  ...["--max-model-len", "4096", "--max-num-seqs", "8", "--block-size", "32"],
  // A cache so small that a few requests show in its use.
  ...["--num-gpu-blocks-override", "512"],
  // Otherwise the log would contain little except the picker's readings.
  "--disable-uvicorn-access-log",
  // The port of an image.
  ...["--port", "8000"],
];

function environmentOf({ env = [] }: V1Container, ip: string): Record<string, string> {
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => {
      if (valueFrom === undefined) return [name, value ?? ""];
      if (valueFrom.fieldRef?.fieldPath === "status.podIP") return [name, ip];
      throw new Error(`variable ${name} has a source that is not known here`);
    }),
  );
}

function flagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.indexOf(flag);
  return at < 0 ? undefined : words[at + 1];
}

/** Takes a flag with its value out of the words. */
function take(words: string[], flag: string): string | undefined {
  const at = words.indexOf(flag);
  return at < 0 ? undefined : words.splice(at, 2)[1];
}

type Json = Readonly<Record<string, unknown>>;

/** Changes the JSON of a flag in place, and returns the previous JSON. */
function changeJson(
  words: string[],
  flag: string,
  change: (value: Json) => Json,
): Json | undefined {
  const at = words.indexOf(flag);
  if (at < 0) return undefined;
  const given = JSON.parse(words[at + 1] ?? "") as Json;
  words[at + 1] = JSON.stringify(change(given));
  return given;
}

function portOf(endpoint: unknown): number | undefined {
  const [, port] = /:(\d+)$/.exec(String(endpoint)) ?? [];
  return port === undefined ? undefined : Number(port);
}
