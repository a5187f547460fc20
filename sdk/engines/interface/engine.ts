import type { FindingText } from "../../invariant.ts";
import type { Program } from "../command-line/launch.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import type { Word } from "../command-line/words.ts";
import type { DeviceMemory } from "../memory/memory.ts";
import type { ArgumentSyntax, Arguments, Reading } from "../options/arguments.ts";
import type { OptionLimit } from "../options/option-limits.ts";
import type { Release, Releases } from "../options/release.ts";
import type { Version } from "../options/version.ts";
import type { MetricNames } from "./metric-names.ts";
import type { ServingEngine } from "./serving-engine.ts";
import type { StartUpChecks } from "./start-up.ts";

/** The two roles that share a request: the prefiller computes the prompt, the decoder generates the response. */
export type PairSide = "prefiller" | "decoder";

/** Names of the engines. Rules, plans and the specs of users name them by these. */
export type EngineName = "sglang" | "tensorrt-llm" | "vllm";

/** An inference engine: its command line, the defaults of its server, and what its start needs. */
export interface Engine {
  readonly title: string;
  /** Returns its version in an image, by the tag; undefined for a tag without one, and for other images. */
  versionOf(image: unknown): Version | undefined;
  /** Returns the arguments of its server; undefined for a program that does not start the server. */
  serverArguments(program: Program): readonly Word[] | undefined;
  /** Matches the images whose entrypoint starts its server. */
  readonly image: RegExp;
  /** Whether the server starts without arguments. If not, its image without a command starts another program. */
  readonly startsWithoutArguments: boolean;
  readonly syntax: ArgumentSyntax;
  /** Option for the share of a device's memory. */
  readonly memoryOption: string;
  readonly requestSlots: RequestSlots;
  /** Limits of values that the data of its releases lack. */
  readonly limits: ReadonlyMap<string, OptionLimit>;
  /** Undefined if no data is stored. */
  readonly releases: EngineReleases | undefined;
  /** Undefined if no names are stored. */
  readonly metrics: MetricNames | undefined;
  /** The default of `--port`. */
  readonly port: number;
  /** The default of `--host`. */
  readonly host: string;
  /** The path that returns 200 once the model is loaded. */
  readonly healthPath: string;
  /** Matches the paths to which its server responds with 200 while it serves, for the probes of a pod. */
  readonly paths: RegExp;
  /** The requests for which its server requires a key, if one is set. Undefined if it checks no keys. */
  readonly keys: ServerKeys | undefined;
  /** Options that all ranks of a group must share, in addition to the options for its size and its model. */
  readonly groupOptions: readonly string[];
  readonly advertisedHosts: AdvertisedHosts;
  /** Matches files that its images contain. */
  readonly imageFiles: RegExp;
  /** Options that name a file or directory which it reads when it starts, in addition to the model. */
  readonly inputFiles: readonly string[];
  /** Whether its server speaks gRPC instead of HTTP. */
  speaksGrpc(args: Arguments): boolean;
  /** Returns the model that it loads: a name or a path. */
  model(args: Arguments): Reading;
  /** Options whose product is the number of accelerators that one copy of the model uses. */
  readonly modelFactors: Readonly<Record<"tensor" | "pipeline" | "context", string | undefined>>;
  /** Options for the number of copies: over the whole group, and on one pod. */
  readonly copies: Readonly<Record<"data" | "dataLocal", string | undefined>>;
  /**
   * Accelerators of the copies: further accelerators of the group, the accelerators of the model itself, or the
   * accelerators of other pods.
   */
  copiesUse(args: Arguments): "further" | "same" | "others";
  /**
   * How its prefillers and decoders transfer KV cache blocks; undefined if this is set in a file, which the plan cannot
   * read.
   */
  readonly transfer: Transfer | undefined;
  /** Its cache of keys and values in host memory; undefined if it has none. */
  readonly hostCache: HostCache | undefined;
  /** Option with which its server also loads adapters by requests; undefined if no option alone permits that. */
  readonly requestedAdapters: string | undefined;
  /** How it finishes running requests after SIGTERM; undefined if that is unknown. */
  readonly drain: EngineDrain | undefined;
  /** Whether the plan can make it publish KV events. */
  readonly takesKvEvents: boolean;
  /** Returns the executor of groups whose role names no executor; undefined if the image does not show it. */
  groupExecutor(image: unknown): string | undefined;
  /** How it serves a typed model. */
  readonly serving: ServingEngine;
  /** Returns the ranks over which a command divides the parts of a model, for any tensor parallel size. */
  divideBy(args: Arguments, data: number): (tensor: number) => PartRanks;
  /** Change that keeps each expert on one rank, as a clause. */
  readonly wholeExperts: string;
  /**
   * Variable with which the engine accepts a context longer than the context of the model; undefined if there is no
   * such variable.
   */
  readonly longerContext: string | undefined;
  /** Checks of its start, by the kind of fault. */
  readonly checks: StartUpChecks;
}

/** How an engine finishes running requests after SIGTERM. */
export interface EngineDrain {
  /** Option for its longest wait, in s, and the first version with it; undefined if it waits for the last request. */
  readonly option: { readonly name: string; readonly since: Version } | undefined;
}

/** Ranks over which one copy of each part of a model is divided. */
export interface PartRanks {
  readonly attention: number;
  readonly dense: number;
  readonly shared: number;
  readonly experts: number;
}

/** Methods by which a decode sidecar's engines transfer a KV cache. */
export const kvConnectorNames = [
  "nixlv2",
  "sglang",
  "mooncake",
  "offloading",
  "shared-storage",
] as const;
export type KvConnectorName = (typeof kvConnectorNames)[number];

/** Requests that an engine runs at once. */
export interface RequestSlots {
  /** Option for their number. */
  readonly option: string;
  /** Returns the default on a device of NVIDIA or AMD; undefined if the engine computes it. */
  byDefault(device: DeviceMemory): number | undefined;
}

/** Environment variables with the address of an engine that other pods connect to. */
export interface AdvertisedHosts {
  readonly always: readonly string[];
  /** In groups of several pods. */
  readonly inGroups: readonly string[];
}

/** A cache of keys and values in host memory. */
export interface HostCache {
  /** Option for its size. */
  readonly option: string;
  /** Bytes of 1 of the option. */
  readonly unit: number;
  /** Whether each rank has a cache of this size. */
  readonly isPerRank: boolean;
  /**
   * Returns the part of the cache that is compared with /dev/shm; undefined for an engine that does not use /dev/shm.
   */
  readonly tier: ((args: Arguments) => HostTier | undefined) | undefined;
}

/** A configured cache of keys and values in host memory. */
export interface HostTier {
  /** Option that sets its size, in words. */
  readonly option: string;
  readonly bytes: number;
  /** First release that allocates it in /dev/shm. */
  readonly sharedSince: Version;
}

/** Access by key to the server of an engine. */
export interface ServerKeys {
  /** Option that sets the keys. */
  readonly option: string;
  /** Environment variable that sets a key. */
  readonly variable: string | undefined;
  /** Matches the paths for which a key is required. */
  readonly paths: RegExp;
}

/** Definitions of an engine by release, for the checks of command lines and variables. */
export interface EngineReleases {
  readonly all: Releases;
  /** Returns the release in an image; undefined for images with plugins, nightly builds and versions without data. */
  of(image: unknown): Release | undefined;
  /** Matches the engine's environment variables. */
  readonly variable: RegExp;
  /** Options of releases before the stored ones, each with the change that replaces it. */
  readonly replaced: Readonly<Record<string, string>>;
  /** Environment variables of earlier releases, each with the change that replaces it. */
  readonly replacedVariables: Readonly<Record<string, string>>;
  /** Keys of JSON options that the engine refuses, by option, each with the key that it accepts. */
  readonly refusedKeys: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Keys of JSON options that another key of the same object needs, by option and by the other key. */
  readonly neededKeys: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Options that a switch needs. */
  readonly neededOptions: Readonly<Record<string, string>>;
  /** Values that the engine accepts and replaces by another one, by option. */
  readonly ignoredValues: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Options that register further values of other options. */
  readonly plugins: Readonly<Record<string, string>>;
}

/** How prefillers and decoders of an engine transfer KV cache blocks. */
export interface Transfer {
  /** Returns the missing setting of one side of a pair; undefined if no setting is missing. */
  missing(args: Arguments, engine: CommandLine, side: PairSide): FindingText | undefined;
  /** Arguments that configure the transfer, for an engine whose command does not. */
  planned(engine: CommandLine, side: PairSide): readonly string[];
  /** The sidecar's method; undefined if the engine's connector decides. */
  readonly sidecarConnector: KvConnectorName | undefined;
  /**
   * Whether whole ranks exchange blocks, which requires that the tensor parallel size of one side divides the size of
   * the other side.
   */
  pairsRanks(args: Arguments): boolean;
  /** Undefined if the engine needs no address for the other side. */
  sideChannel(args: Arguments): SideChannel | undefined;
}

/** Variables with the address to which the other side of a transfer connects. The default is localhost. */
export interface SideChannel {
  readonly host: string;
  readonly port: string;
  /** Whether the engine sends this address to decoders. */
  readonly isSent: boolean;
}
