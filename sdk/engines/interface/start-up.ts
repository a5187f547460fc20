/** An engine before its start, with all facts that decide whether it starts. */

import type { FindingText } from "../../invariant.ts";
import type { AcceleratorType } from "../accelerators/accelerator.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import { type Arguments, notKnown, type Reading } from "../options/arguments.ts";
import { isAtLeast, type Version } from "../options/version.ts";
import type { Engine, EngineName } from "./engine.ts";
import type { StartUpKindName } from "./start-up-kinds.ts";

export interface StartUp {
  readonly engine: Engine;
  /** Undefined for an image whose tag does not contain a version. */
  readonly version: Version | undefined;
  readonly container: CommandLine;
  readonly args: Arguments;
  readonly env: Environment;
  /** Name of the model in the command. */
  readonly modelName: string;
  readonly facts: ModelFacts;
  /** Undefined if it is unknown. */
  readonly accelerator: AcceleratorType | undefined;
  readonly parallelism: Parallelism;
  /** Devices of one pod; 0 if unknown. */
  readonly devices: number;
  /** Pods of one replica. */
  readonly pods: number;
  /** Memory limit of the container in bytes. */
  readonly memoryLimit: number | undefined;
  /** Seconds after which a probe restarts the container; undefined without such a probe. */
  readonly probe: ProbeBudget | undefined;
  /** Rate at which the weights are loaded, in bytes per second. */
  readonly bytesPerSecond: number;
  /** Whether the engine loads the model from a hub, and no volume can already contain it. */
  readonly downloads: boolean;
}

/** An engine's division of a model over accelerators, as its options set it. */
export interface Parallelism {
  readonly engine: EngineName;
  readonly tensor: number;
  readonly pipeline: number;
  /** Groups that share the tokens of a prompt. */
  readonly context: number;
  /** Copies of the model over the whole group. */
  readonly data: number;
  /** Copies on one pod; undefined if it is not set. */
  readonly dataLocal: number | undefined;
  /** Whether at least one of these options is set. */
  readonly isSet: boolean;
}

export interface ProbeBudget {
  readonly field: "startupProbe" | "livenessProbe";
  readonly seconds: number;
}

/** Variables of a container. */
export interface Environment {
  /** Whether variables may be set outside the template. */
  readonly isOpen: boolean;
  readonly has: (name: string) => boolean;
  /** Value in the template; undefined if it is not set there. */
  readonly text: (name: string) => string | undefined;
}

/** Reason why an engine will not start, with the nearest configuration that works. */
export interface StartUpFinding extends FindingText {
  readonly kind: string;
}

/** A check for one kind of fault. It ends without a result if it reads an unknown value. */
export type StartUpCheck = (startUp: StartUp) => Iterable<FindingText>;

/**
 * The checks of an engine. If a kind of fault has no check here, the engine cannot have that fault, or it is not known.
 */
export type StartUpChecks = Readonly<Partial<Record<StartUpKindName, StartUpCheck>>>;

class NotKnown extends Error {}

/** Returns the result of a check; nothing if it reads an unknown value. */
export function* judged(
  kind: string,
  check: StartUpCheck,
  startUp: StartUp,
): Iterable<StartUpFinding> {
  try {
    for (const fault of check(startUp)) yield { kind, ...fault };
  } catch (error) {
    if (!(error instanceof NotKnown)) throw error;
  }
}

function known<T>(reading: Reading<T>): T | undefined {
  if (reading === notKnown) throw new NotKnown();
  return reading;
}

/** Returns the text of an option; undefined if it is not set. */
export const optionText = ({ args }: StartUp, option: string): string | undefined =>
  known(args.value(option));

/** Whether a switch is on. */
export const isOn = ({ args }: StartUp, option: string): boolean =>
  /^(true|)$/i.test(known(args.value(option)) ?? "false");

/** Returns the number of an option. vLLM reads 32k as 32,000 and 32K as 32,768. */
export function numberOf(startUp: StartUp, option: string): number | undefined {
  const text = optionText(startUp, option);
  if (text === undefined) return undefined;
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)([kKmMgG]?)$/.exec(text) ?? [];
  if (digits === undefined) throw new NotKnown();
  const powers: Readonly<Record<string, number>> = {
    ...{ k: 1e3, m: 1e6, g: 1e9 },
    ...{ K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 },
  };
  return Number(digits) * (powers[unit] ?? 1);
}

/** Returns the object of an option that takes JSON. */
export const jsonOf = ({ args }: StartUp, option: string) => known(args.json(option));

/** Whether the version is known and older than another one. */
export const isBefore = ({ version }: StartUp, first: Version): boolean =>
  isAtLeast(version, first) === false;

/** Whether the version is known and at least another one. */
export const isSince = ({ version }: StartUp, first: Version): boolean =>
  isAtLeast(version, first) === true;

export const versionText = (version: Version): string => version.slice(0, 3).join(".");

/** Whether arguments change the configuration of the model. */
export const isOverridden = ({ args }: StartUp): boolean =>
  args.has("--hf-overrides") || args.has("--json-model-override-args");
